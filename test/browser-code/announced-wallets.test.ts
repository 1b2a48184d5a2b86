import { describe, expect, it, test } from 'vitest'
import {
  acceptableIcon,
  type AnnouncedWallet,
  watchAnnouncedWallets,
  haveSimilarNames,
} from '../../edge/browser/console/wallets/announced-wallets.ts'
import { watchWallet, type WalletChange } from '../../edge/browser/console/wallets/watch-wallet.ts'

const provider = { request: async () => null }
const INFO = { uuid: 'one', name: 'Fox', rdns: 'io.fox', icon: 'data:image/png;base64,AA==' }

function page() {
  const target = new EventTarget()
  let known: readonly AnnouncedWallet[] = []
  const stop = watchAnnouncedWallets(target, (wallets) => (known = wallets))
  const announce = (info: object, given: unknown = provider) =>
    target.dispatchEvent(
      new CustomEvent('eip6963:announceProvider', { detail: { info, provider: given } }),
    )
  return { announce, stop, known: () => known }
}

describe('wallets that announce themselves', () => {
  it('are listed, including late ones', () => {
    const { announce, stop, known } = page()
    announce(INFO)
    announce({ ...INFO, uuid: 'two', name: 'Bear' })
    expect(known().map(({ name }) => name)).toEqual(['Fox', 'Bear'])
    stop()
    announce({ ...INFO, uuid: 'three' })
    expect(known()).toHaveLength(2)
  })

  it('impostor: an announcement with a known ID does not replace its wallet', () => {
    const { announce, known } = page()
    announce(INFO)
    announce({ ...INFO, name: 'Fox (new)' }, { request: async () => 'stolen' })
    expect(known()).toMatchObject([{ name: 'Fox', provider }])
  })

  test.each(['fox ', 'F\u034Fox', 'Fox\u3164', 'Fo\uFE0Fx', 'F\u00A0ox', 'Ｆｏｘ', 'Fox.'])(
    'impostor: warns of a name that looks like another: %j',
    (name) => {
      expect(haveSimilarNames([INFO, { name }])).toBe(true)
    },
  )

  it('does not warn of names that look different', () => {
    expect(haveSimilarNames([INFO, { name: 'Fox 2' }, { name: '🦊' }, { name: '🐻' }])).toBe(false)
  })

  it('flood: lists a limited number of wallets', () => {
    const { announce, known } = page()
    for (let i = 0; i < 1_000; i++) announce({ ...INFO, uuid: String(i) })
    expect(known()).toHaveLength(20)
  })

  it('flood: truncates long names and domains', () => {
    const { announce, known } = page()
    announce({ ...INFO, name: 'n'.repeat(1e6), rdns: 'r'.repeat(1e6) })
    expect(known()[0]!.name).toHaveLength(60)
    expect(known()[0]!.rdns).toHaveLength(100)
  })

  test.each([
    ['no info', undefined, provider],
    ['no provider', INFO, null],
    ['a provider that asks nothing', INFO, {}],
    ['a name that is no text', { ...INFO, name: ['Fox'] }, provider],
    ['no name', { ...INFO, name: '' }, provider],
    [
      'a getter that throws',
      Object.defineProperty({}, 'name', {
        get: () => {
          throw new Error()
        },
      }),
      provider,
    ],
  ])('ignores a wallet with %s', (_, info, given) => {
    const { announce, known } = page()
    announce(info as object, given)
    expect(known()).toEqual([])
  })

  test.each([
    'javascript:alert(1)',
    'https://elsewhere.example/spy.png',
    'data:text/html,<script>alert(1)</script>',
    'data:image/svg+xmlish,x',
    ' data:image/png;base64,AA==',
    `data:image/png;base64,${'A'.repeat(200_000)}`,
    7,
  ])('XSS: rejects %o as an icon', (icon) => {
    expect(acceptableIcon(icon)).toBeUndefined()
  })

  test.each(['png', 'webp', 'jpeg', 'svg+xml'])('accepts an icon of type image/%s', (kind) => {
    expect(acceptableIcon(`data:image/${kind};base64,AA==`)).toBeDefined()
  })
})

describe('a connected wallet', () => {
  const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
  function watched() {
    const listeners: Record<string, (value: unknown) => void> = {}
    const changes: WalletChange[] = []
    const emitter = {
      request: async () => null,
      on: (event: string, listener: (value: unknown) => void) => void (listeners[event] = listener),
      removeListener: (event: string) => void delete listeners[event],
    }
    const stop = watchWallet(emitter, { address: ADDRESS, chainId: 31_337n }, (change) =>
      changes.push(change),
    )
    return { listeners, changes, stop }
  }

  it('is tracked to another address and back', () => {
    const { listeners, changes } = watched()
    listeners.accountsChanged!(['0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'])
    listeners.accountsChanged!([])
    listeners.accountsChanged!([ADDRESS.toLowerCase()])
    expect(changes.map(({ on }) => on)).toEqual([
      'another address',
      'another address',
      'as connected',
    ])
  })

  it('is tracked to another chain and to a lost connection', () => {
    const { listeners, changes } = watched()
    listeners.chainChanged!('0x1')
    listeners.chainChanged!('0x7a69')
    listeners.disconnect!({})
    expect(changes.map(({ on }) => on)).toEqual(['another chain', 'as connected', 'nothing'])
  })

  it('is no longer tracked after another one is connected', () => {
    const { listeners, stop } = watched()
    stop()
    expect(listeners).toEqual({})
  })
})

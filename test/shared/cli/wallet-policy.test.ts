/** `svc wallet policy`, and the samples of docs/policies.md. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { DENIAL_CODES } from '../../../shared/policies/denial.ts'
import { policyOf, PAYROLL, transaction, transfer, PAYEE, THIEF } from '../policies/requests.ts'
import { svc } from './command-line.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-policy-'))
const write = (name: string, value: unknown) =>
  writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value))
beforeEach(() => {
  write('policy.json', PAYROLL)
  write('request.json', transaction())
})
afterAll(() => rmSync(folder, { recursive: true }))

const policy = (...words: string[]) => svc(['wallet', 'policy', ...words], { folder })
const simulate = (...words: string[]) =>
  policy(
    'simulate',
    'policy.json',
    '--request',
    'request.json',
    '--at',
    '2026-07-01T12:00:00Z',
    ...words,
  )

describe('svc wallet policy check', () => {
  it('prints the hash, and the rules in words', async () => {
    const { code, out } = await policy('check', 'policy.json')
    expect(code).toBe(0)
    expect(out).toContain(`hash  ${policyOf(PAYROLL).hash}\n`)
    expect(out).toContain('1. pay: allows transactions on chain 1 to 0xa0b8')
    expect(out).toContain('where to is one of @payees and amount is at most 50000000')
    expect(out).toContain('- USDC a day: at most 100000000 units of USDC in 1 day, for each token.')
    expect(out).not.toContain('Warning')
  })

  it('prints JSON with the canonical form', async () => {
    const { out } = await policy('check', 'policy.json', '--json')
    const { hash, canonical } = policyOf(PAYROLL)
    expect(JSON.parse(out)).toMatchObject({ hash, canonical, warnings: [] })
  })

  it('warns of fees without a limit', async () => {
    const { gas_limit_max: _limit, ...rule } = PAYROLL.rules[0]!
    write('policy.json', { ...PAYROLL, rules: [rule] })
    const { out } = await policy('check', 'policy.json')
    expect(out).toContain('Warning: pay: fees are not limited')
  })

  it('exits with 2 for an invalid policy, and names all problems by path', async () => {
    write('policy.json', { ...PAYROLL, version: 2, rules: [{ ...PAYROLL.rules[0], approval: {} }] })
    const { code, err } = await policy('check', 'policy.json')
    expect(code).toBe(2)
    expect(err).toContain('policy.json is not a valid policy:')
    expect(err).toContain('version: ')
    expect(err).toContain('rules[0].approval: approval by a person is not supported yet')
  })
})

describe('svc wallet policy check --replaces', () => {
  const [sum] = PAYROLL.sums
  const old = { ...PAYROLL, change_delay_s: 172_800 }
  const check = async (from: object, to: object) => {
    write('policy.json', from)
    write('new.json', to)
    return policy('check', 'new.json', '--replaces', 'policy.json')
  }

  it('tells that a tightening takes effect at once', async () => {
    const { code, out } = await check(old, { ...old, sums: [{ ...sum, max: '1' }] })
    expect(code).toBe(0)
    expect(out).toContain(`\nChange: takes effect at once, and replaces ${policyOf(old).hash}.\n`)
  })

  it('tells when a change takes effect that allows more', async () => {
    const looser = { ...old, sums: [{ ...sum, max: '200000000' }] }
    const { out } = await check(old, looser)
    expect(out).toContain('\nChange: takes effect 2 days after it is set, and replaces 0x')
    const { out: json } = await policy('check', 'new.json', '--replaces', 'policy.json', '--json')
    expect(JSON.parse(json).change).toEqual({
      replaces: policyOf(old).hash,
      effect: 'delayed',
      delay_s: 172_800,
    })
  })

  it('tells that any change of a policy without a delay takes effect at once', async () => {
    const { out } = await check(PAYROLL, { ...PAYROLL, sums: [{ ...sum, max: '200000000' }] })
    expect(out).toContain('\nChange: takes effect at once')
  })

  it('tells that the policies are the same, or that the old one is immutable', async () => {
    const immutable = { ...PAYROLL, immutable: true }
    const { out: same } = await check(immutable, immutable)
    expect(same).toContain('\nChange: none. Both policies are the same.\n')
    const { out } = await check(immutable, PAYROLL)
    expect(out).toContain(`\nChange: refused, because ${policyOf(immutable).hash} is immutable.\n`)
  })
})

describe('svc wallet policy simulate', () => {
  it('allows a request, and prints what remains of each sum', async () => {
    const { code, out } = await simulate()
    expect(code).toBe(0)
    expect(out).toMatch(/^ALLOWED {2}pay\nSends 25 \(25000000 units\) of USDC to 0x7099/)
    expect(out).toContain('25000000 added  75000000 of 100000000 remain')
  })

  it('denies a request with the reason, and exits with 1', async () => {
    write('request.json', transaction({ data: transfer(THIEF, 1n) }))
    const { code, out } = await simulate()
    expect(code).toBe(1)
    expect(out).toMatch(/^DENIED {3}condition_failed\n/)
    expect(out).toContain('Denied: the rule "pay" does not allow it, because to is 0x90f7')
  })

  it('continues from the sums of an earlier simulation, until one is used up', async () => {
    write('request.json', transaction({ data: transfer(PAYEE, 40_000_000n) }))
    write('sums.json', (await simulate('--json')).out)
    write('sums.json', (await simulate('--sums', 'sums.json', '--json')).out)
    const { code, out } = await simulate('--sums', 'sums.json', '--json')
    expect(code).toBe(1)
    const { decision, code: reason, rule, explanation } = JSON.parse(out)
    expect({ decision, reason, rule }).toEqual({
      decision: 'deny',
      reason: 'over_sum',
      rule: 'pay',
    })
    expect(explanation.at(-1)).toMatch(
      /20000000 of 100000000 remain of the sum USDC a day\/1\/0x[0-9a-f]{40}, and the request needs 40000000, which is available from 2026-07-02T12:/,
    )
  })

  it('uses the wallet, the action and the time of the options', async () => {
    const rule = {
      ...PAYROLL.rules[0],
      actions: ['QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPBdG'],
      times: [{ from: '11:00', to: '13:00' }],
    }
    write('policy.json', { ...PAYROLL, rules: [rule] })
    expect((await simulate()).out).toContain('DENIED   action_not_allowed')
    expect((await simulate('--action', rule.actions[0]!)).out).toContain('ALLOWED')
    expect(
      (await simulate('--action', rule.actions[0]!, '--at', '2026-07-01T14:00:00Z')).out,
    ).toContain('DENIED   outside_hours')
    write('request.json', transaction({ from: THIEF }))
    expect((await simulate('--wallet', PAYEE)).out).toContain('DENIED   other_sender')
  })

  it.each<[string, () => void, string[], RegExp]>([
    [
      'a request that is not JSON',
      () => write('request.json', '{'),
      [],
      /request\.json is not JSON/,
    ],
    [
      'a request with a duplicate member',
      () => write('request.json', '{"kind":"digest","kind":"message"}'),
      [],
      /request\.json: the member kind occurs twice/,
    ],
    [
      'sums that are none',
      () => write('sums.json', '{"a":1}'),
      ['--sums', 'sums.json'],
      /sums\.json: a: /,
    ],
    [
      'a wallet that is none',
      () => undefined,
      ['--wallet', 'payee.eth'],
      /--wallet: expected an address, 0x and 40 hex digits, instead of a name/,
    ],
    ['a time that is none', () => undefined, ['--at', 'noon'], /--at noon: expected a time/],
    ['a file that is not there', () => undefined, ['--sums', 'absent.json'], /absent\.json/],
  ])('exits with 2 for %s', async (_, prepare, words, expected) => {
    prepare()
    const { code, err } = await simulate(...words)
    expect(err).toMatch(expected)
    expect(code).toBe(2)
  })

  it('escape sequences of a request are not printed', async () => {
    write('request.json', { kind: 'message', message: '\u001b[2J\u202e' })
    const { out } = await simulate()
    expect(out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  })
})

describe('docs/policies.md', () => {
  const page = readFileSync(new URL('../../../docs/policies.md', import.meta.url), 'utf8')
  const blocks = [...page.matchAll(/```(\w*)\n([^]*?)```/g)].map(([, language, text]) => ({
    language: language!,
    text: text!,
  }))
  const json = blocks.filter(({ language }) => language === 'json').map(({ text }) => text)

  it('lists all codes with their meaning', () => {
    for (const [code, meaning] of Object.entries(DENIAL_CODES))
      expect(page).toContain(`| \`${code}\` | ${meaning} |`)
  })

  it('has the output of its commands', async () => {
    write('policy.json', json[0]!)
    write('request.json', json[1]!)
    write('new.json', json[0]!.replace('"max": "100000000"', '"max": "50000000"'))
    const commands = blocks.filter(
      ({ language, text }) => language === 'sh' && text.startsWith('svc wallet policy '),
    )
    expect(commands).toHaveLength(3)
    for (const { text } of commands) {
      const { out } = await svc(text.trim().split(' ').slice(1), { folder })
      const shown = blocks[blocks.findIndex((block) => block.text === text) + 1]!.text
      // The page shows only the last line of the third command.
      expect(text.includes('--replaces') ? `${out.trim().split('\n').at(-1)}\n` : out).toBe(shown)
    }
  })
})

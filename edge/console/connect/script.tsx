/** The script of the page `/console`, until one is connected: what comes then is loaded then. */
import { render, useState } from 'hono/jsx/dom'
import type { Child } from 'hono/jsx'
import { isApiKeyShape } from '../../../shared/api-key.ts'
import type { Opened } from '../console/module.tsx'
import { failureInWords } from '../failure-in-words.ts'
import { NEW_TRIGGER } from '../new-trigger.ts'
import { givePagesUp } from '../pages-left-behind.ts'
import { ShownOnce } from '../shown-once.tsx'
import { WalletConnect } from '../console/wallets/wallet-connect.tsx'
import { ConnectCard } from './connect-card.tsx'
import { forgetKey, keepKey, keptKey } from './kept-key.ts'

const root = document.getElementById('console')!
const about = document.getElementById('about')!

type ConsoleModule = typeof import('../console/module.tsx')

/** From where it is served, and no file that a compiler could look at. */
const CONSOLE: string = '/scripts/console.js'
const loadConsole = async () => (await import(CONSOLE)) as ConsoleModule

/** Base URL, and whether the origin is verified before it is given a key. */
const origin = {
  baseUrl: root.dataset['baseUrl']!,
  verify: root.dataset['verify'] as 'once' | 'never',
}

type NewKey = { apiKey: string; walletAddress: string; open: () => void }

const Connect = ({ firstProblem }: { firstProblem?: Child }) => {
  const [busy, setBusy] = useState<string | undefined>(undefined)
  const [problem, setProblem] = useState<Child>(firstProblem)
  const [made, setMade] = useState<NewKey | undefined>(undefined)

  /** Loads the console, and does what has to be done with it. What is drawn instead of this form is not drawn over. */
  const attempt = async (what: string, work: (module: ConsoleModule) => Promise<void>) => {
    setBusy(what)
    setProblem(undefined)
    try {
      await work(await loadConsole())
    } catch (failure) {
      setBusy(undefined)
      setProblem(<Problem failure={failure} />)
    }
  }

  const connect = (event: Event) => {
    const fields = fieldsOf(event)
    const apiKey = text(fields, 'api_key')
    if (!isApiKeyShape(apiKey)) {
      setProblem('This is no API key: one has 44 characters of base64. Nothing was sent.')
      return
    }
    const keep = fields.has('keep')
    void attempt('Connecting…', async (module) => {
      const opened = await module.openWithKey(apiKey, origin)
      if (keep) keepKey(apiKey)
      show(module, opened)
    })
  }
  const create = (event: Event) => {
    const name = text(fieldsOf(event), 'account_name')
    void attempt(
      'Creating the account. It is written on the chain: some 15 seconds…',
      async (module) => {
        const { opened, apiKey, walletAddress } = await module.createAccount(name, origin)
        const open = () => show(module, opened)
        setMade({ apiKey, walletAddress, open })
      },
    )
  }

  if (made) return <NewAccount made={made} />
  return (
    <ConnectCard
      busy={busy}
      problem={problem}
      acts={{ connect, create }}
      wallets={
        <WalletConnect
          isBusy={busy !== undefined}
          onChosen={(wallet) =>
            void attempt('Waiting for your wallet…', async (module) =>
              show(module, await module.openWithWallet(wallet, origin)),
            )
          }
        />
      }
    />
  )
}

const NewAccount = ({ made: { apiKey, walletAddress, open } }: { made: NewKey }) => (
  <div class="card">
    <h2>Your account is there</h2>
    <p>
      Its address on the chain is <code>{walletAddress}</code>. Its key is a secret of yours:
    </p>
    <ShownOnce
      name="account key"
      secret={apiKey}
      warning="Who has this key has the account. It is shown this once and kept by nobody: lost, it can not be replaced."
      mayKeep
      onStored={(keep) => {
        if (keep) keepKey(apiKey)
        open()
      }}
    />
  </div>
)

const Problem = ({ failure }: { failure: unknown }) => {
  const { message, fix } = failureInWords(failure)
  return (
    <>
      {message} {fix}
    </>
  )
}

function fieldsOf(event: Event): FormData {
  event.preventDefault()
  return new FormData(event.target as HTMLFormElement)
}

function text(fields: FormData, name: string): string {
  const value = fields.get(name)
  return typeof value === 'string' ? value.trim() : ''
}

function show(module: ConsoleModule, opened: Opened): void {
  about.hidden = true
  // Of its own: how one connects is drawn once more when that is over, where nobody sees it.
  const place = document.createElement('div')
  root.replaceWith(place)
  module.showConsole(place, { ...opened, origin, keep: keepIfKept, disconnect })
}

/** Another key takes the place of the one that is kept. */
function keepIfKept(apiKey: string): void {
  if (keptKey() !== undefined) keepKey(apiKey)
}

/** Nothing is left of what this page knew: it is another page afterwards. */
function disconnect(): void {
  forgetKey()
  // Of a trigger that was not made: its usage key is this account's.
  sessionStorage.removeItem(NEW_TRIGGER)
  history.replaceState(null, '', location.pathname)
  location.reload()
}

async function begin(): Promise<void> {
  const kept = keptKey()
  if (kept === undefined) return render(<Connect />, root)
  render(<ConnectCard busy="Connecting with the key of this tab…" />, root)
  try {
    const module = await loadConsole()
    show(module, await module.openWithKey(kept, origin))
  } catch (failure) {
    render(<Connect firstProblem={<Problem failure={failure} />} />, root)
  }
}

/** Come back to as it was left, the page would still have the key that it said it forgets. */
addEventListener('pageshow', ({ persisted }) => {
  if (persisted && keptKey() === undefined) location.reload()
})

givePagesUp()
void begin()

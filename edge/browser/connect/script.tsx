/**
 * Script of the console's start page. It runs until an account is connected, and loads the console itself on demand.
 */
import { render } from 'preact'
import { useState } from 'preact/hooks'
import type { Child } from 'hono/jsx'
import { hasApiKeyFormat } from '../../../shared/wire/api-key.ts'
import type { OpenedConnection } from '../console/console-frame.tsx'
import { readOrigin } from '../console/read-origin.ts'
import { readSubmittedForm } from '../console/submitted-form.ts'
import { formatFailure } from '../format/describe-failure.ts'
import { TRIGGER_PREFILL_KEY } from '../trigger-form/prefill-form.ts'
import { evictCachedPages } from '../back-forward-cache.ts'
import { OneTimeSecret } from '../components/one-time-secret.tsx'
import { WalletConnect } from '../console/wallets/wallet-connect.tsx'
import { ConnectCard } from './connect-card.tsx'
import { forgetKey, storeKey, storedKey } from './stored-key.ts'

const root = document.getElementById('console')!
const about = document.getElementById('about')!

type ConsoleModule = typeof import('../console/module.tsx')

/** URL of the console module. Its type is `string`, so that the compiler does not resolve the import. */
const CONSOLE: string = '/scripts/console.js'
const loadConsole = async () => (await import(CONSOLE)) as ConsoleModule

const origin = readOrigin(root.dataset)

type NewAccountKey = { apiKey: string; walletAddress: string; open: () => void }

const Connect = ({ firstProblem }: { firstProblem?: Child }) => {
  const [busy, setBusy] = useState<string | undefined>(undefined)
  const [problem, setProblem] = useState<Child>(firstProblem)
  const [made, setMade] = useState<NewAccountKey | undefined>(undefined)

  const attempt = async (what: string, work: (module: ConsoleModule) => Promise<void>) => {
    setBusy(what)
    setProblem(undefined)
    try {
      await work(await loadConsole())
    } catch (failure) {
      setBusy(undefined)
      setProblem(formatFailure(failure))
    }
  }

  const connect = (event: Event) => {
    const { text, has } = readSubmittedForm(event)
    const apiKey = text('api_key')
    if (!hasApiKeyFormat(apiKey)) {
      setProblem('Invalid API key: expected 44 characters of base64. Nothing was sent.')
      return
    }
    const keep = has('keep')
    void attempt('Connecting…', async (module) => {
      const connection = await module.connectKey(apiKey, origin)
      if (keep) storeKey(apiKey)
      openConsole(module, { connection })
    })
  }
  const create = (event: Event) => {
    const name = readSubmittedForm(event).text('account_name')
    void attempt(
      'Creating the account on the chain. This takes about 15 seconds…',
      async (module) => {
        const { connection, account } = await module.createAccount(name, origin)
        const open = () => openConsole(module, { connection, account })
        setMade({ apiKey: connection.apiKey, walletAddress: account.walletAddress, open })
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
              openConsole(module, { connection: await module.connectWallet(wallet, origin) }),
            )
          }
        />
      }
    />
  )
}

const NewAccount = ({ made: { apiKey, walletAddress, open } }: { made: NewAccountKey }) => (
  <div class="card">
    <h2>Account created</h2>
    <p>
      The address of the account on the chain is <code>{walletAddress}</code>. Its key is secret:
    </p>
    <OneTimeSecret
      name="account key"
      secret={apiKey}
      warning="Anyone with this key controls the account. It is shown only once and not stored anywhere. If you lose it, it cannot be recovered."
      mayKeep
      onStored={(keep) => {
        if (keep) storeKey(apiKey)
        open()
      }}
    />
  </div>
)

function openConsole(module: ConsoleModule, opened: OpenedConnection): void {
  about.hidden = true
  // Renders the console into a new element. The old one belongs to this bundle's copy of Preact.
  const place = document.createElement('div')
  root.replaceWith(place)
  module.showConsole(place, { ...opened, origin, keep: updateStoredKey, disconnect })
}

function updateStoredKey(apiKey: string): void {
  if (storedKey() !== undefined) storeKey(apiKey)
}

/** Reloads the page, so that no state remains. */
function disconnect(): void {
  forgetKey()
  // Removes the stored data for a new trigger, because it contains a usage key of this account.
  sessionStorage.removeItem(TRIGGER_PREFILL_KEY)
  history.replaceState(null, '', location.pathname)
  location.reload()
}

async function start(): Promise<void> {
  const apiKey = storedKey()
  if (apiKey === undefined) return render(<Connect />, root)
  render(<ConnectCard busy="Connecting with the key of this tab…" />, root)
  try {
    const module = await loadConsole()
    openConsole(module, { connection: await module.connectKey(apiKey, origin) })
  } catch (failure) {
    render(<Connect firstProblem={formatFailure(failure)} />, root)
  }
}

// A page restored from the back/forward cache may still contain a deleted key.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted && storedKey() === undefined) location.reload()
})

evictCachedPages()
void start()

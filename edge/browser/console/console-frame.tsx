import { useEffect, useRef, useState } from 'preact/hooks'
import { forgetKey } from '../connect/stored-key.ts'
import type { Connection } from './connection.ts'
import { AccountHeader, type NewAccountDetails } from './account-header.tsx'
import type { Origin } from './connect-key.ts'
import { createPerform } from './perform.ts'
import { ProgressLine } from './progress-line.tsx'
import { progressListeners } from './progress.ts'
import { ActionsView } from './views/actions.tsx'
import { AuditLogView } from './views/audit-log.tsx'
import { CreditsView } from './views/credits.tsx'
import { GroupsView } from './views/groups.tsx'
import { KeysView } from './views/keys.tsx'
import { OwnershipView } from './views/ownership.tsx'
import { StartView } from './views/start.tsx'
import { WalletsView } from './views/wallets.tsx'
import { NoAccount } from './wallets/no-account.tsx'
import { SentTransactions } from './wallets/sent-transactions.tsx'
import { WalletNotices } from './wallets/wallet-notices.tsx'
import { type View, type ViewName, VIEWS } from './view.ts'

/** `account` is present only if the account was just created. */
export type OpenedConnection = { connection: Connection; account?: NewAccountDetails }

export type ConsoleProps = OpenedConnection & {
  origin: Origin
  keep: (apiKey: string) => void
  disconnect: () => void
}

const VIEW_COMPONENTS: Record<ViewName, View> = {
  start: StartView,
  wallets: WalletsView,
  groups: GroupsView,
  keys: KeysView,
  actions: ActionsView,
  credits: CreditsView,
  ownership: OwnershipView,
  'audit-log': AuditLogView,
}

export const ConsoleFrame = ({
  connection: first,
  account,
  origin,
  keep,
  disconnect,
}: ConsoleProps) => {
  const [connection, setConnection] = useState<Connection>(first)
  /** Number of reconnections. Each reconnection remounts all components. */
  const [epoch, setEpoch] = useState(0)
  const [done, setDone] = useState(0)
  const [perform] = useState(() => createPerform(() => setDone((count) => count + 1)))
  const [isBusy, setBusy] = useState(false)
  useEffect(
    () => progressListeners.add((progress) => setBusy(progress?.state === 'in progress')),
    [],
  )
  const view = useView()
  const heading = useRef<HTMLHeadingElement>(null)
  useTitle(view.title, heading)

  const reconnect = (other: Connection) => {
    if (other.by === 'key') keep(other.apiKey)
    // After a conversion, the tab no longer needs the account key.
    else forgetKey()
    setConnection(other)
    setEpoch(epoch + 1)
  }
  const ViewComponent = VIEW_COMPONENTS[view.name]
  return (
    <div class="console">
      <AccountHeader key={`head-${epoch}`} {...{ connection, account, done, disconnect }} />
      {connection.by === 'wallet' && (
        <WalletNotices key={`notices-${epoch}`} connection={connection} />
      )}
      {connection.by === 'wallet' && connection.adminStatus !== 'admin' ? (
        <NoAccount key={`no-account-${epoch}`} {...{ connection, isBusy, perform, reconnect }} />
      ) : (
        <>
          <nav aria-label="Console" class="views">
            <ul>
              {VIEWS.map(({ name, title }) => (
                <li key={name}>
                  <a
                    href={`#${name}`}
                    {...(name === view.name && { 'aria-current': 'page' as const })}
                  >
                    {title}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
          <section aria-labelledby="view" class="view">
            <h2 id="view" tabindex={-1} ref={heading}>
              {view.title}
            </h2>
            <fieldset disabled={isBusy} key={`${view.name}-${epoch}`}>
              <ViewComponent {...{ connection, origin, reconnect, perform }} />
            </fieldset>
          </section>
        </>
      )}
      {connection.by === 'wallet' && <SentTransactions signing={connection.wallet.signing} />}
      <ProgressLine disconnect={disconnect} />
    </div>
  )
}

type NamedView = (typeof VIEWS)[number]

function useView(): NamedView {
  const [view, setView] = useState(currentView)
  useEffect(() => {
    const follow = () => setView(currentView())
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  return view
}

function currentView(): NamedView {
  return VIEWS.find(({ name }) => `#${name}` === location.hash) ?? VIEWS[0]
}

/** Sets the page title. When the view changes, also focuses the heading for screen reader users. */
function useTitle(title: string, heading: { current: HTMLHeadingElement | null }): void {
  const isFirst = useRef(true)
  useEffect(() => {
    const [page] = document.querySelectorAll('h1')
    document.title = `${title} · ${page?.textContent ?? ''}`
    if (!isFirst.current) heading.current?.focus()
    // On a narrow screen, the navigation scrolls, so the current link may be out of view.
    document
      .querySelector('.views [aria-current]')
      ?.scrollIntoView({ block: 'nearest', inline: 'center' })
    isFirst.current = false
  }, [title])
}

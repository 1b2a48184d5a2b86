import { storedKey } from '../connect/stored-key.ts'
import type { createKeyClient } from '../console/connect-key.ts'
import { readOrigin } from '../console/read-origin.ts'
import type { RunWithTransactions } from './run-view.ts'

type ConsoleModule = { createKeyClient: typeof createKeyClient }

/** Module with the client. The type is `string`, so that the compiler does not resolve the import. */
const CONSOLE: string = '/scripts/console.js'

/**
 * Shows the transactions of a run, and follows their states if the console has stored a key in this tab. Otherwise, the
 * page asks for a key. Without a key, the IDs that the Worker has rendered are all that is known.
 */
export async function showTransactions(
  element: HTMLElement,
  { id, transactions, finished_at }: RunWithTransactions,
): Promise<void> {
  const apiKey = storedKey()
  if (transactions?.length === 0 || (transactions === null && apiKey === undefined)) return
  const origin = readOrigin(element.dataset)
  const open = async (key: string) => {
    addEventListener('pageshow', reloadIfRestored)
    const { createKeyClient: create } = (await import(CONSOLE)) as ConsoleModule
    return create(key, origin).transactions
  }
  const { showRunTransactions } = await import('/scripts/transactions.js')
  const opened = apiKey === undefined ? undefined : await open(apiKey)
  showRunTransactions(element, {
    runId: id,
    sent: transactions ?? [],
    isFinished: finished_at !== null,
    baseUrl: origin.baseUrl,
    open,
    opened,
  })
}

/** A page restored from the back/forward cache may still contain a key that was deleted. */
function reloadIfRestored({ persisted }: PageTransitionEvent): void {
  if (persisted) location.reload()
}

import { Conflict, NotFound, Unauthorized } from '../failures/by-status.ts'
import type { Step } from '../options.ts'
import type { ClientRequest, Requester } from '../request.ts'
import type { RuntimeEnvironment } from '../runtime-environment.ts'

/**
 * Maximum time until the service sees a block. It usually takes less than a second, but the service's nodes can be a
 * few seconds behind the wallet's node.
 */
export const SEEN_WITHIN_MS = 10_000
export const POLL_INTERVAL_MS = 250

type Parts = Pick<RuntimeEnvironment, 'now' | 'sleep'> & {
  onStep: (step: Step) => void
  /** Time of the last write in Unix milliseconds. Undefined if no transaction was mined. */
  lastWriteAt: () => number | undefined
  /** Checks in the contract, through the wallet's node, that the wallet is an admin. */
  isAdmin: () => Promise<boolean>
}

/**
 * The client reads the policy to be replaced from the contract, so a 409 may mean that the service has not seen it yet.
 */
const SET_POLICY_PATH = '/core/v1/set_wallet_policy_with_signature'

/**
 * Returns a requester that retries after a 401 (unknown account), a 404 (group or wallet not found), or a 409 of
 * `set_wallet_policy_with_signature` (another policy holds), because the service may not have seen the block of the
 * wallet's last transaction yet. If this client has sent no transaction, a 401 may concern an account that another
 * client of the wallet has just opened. The contract shows whether that account exists.
 */
export function retryUntilSeen(requester: Requester, parts: Parts): Requester {
  const { now, sleep, onStep, lastWriteAt, isAdmin } = parts
  let foundAt: Promise<number | undefined> | undefined
  const accountFoundAt = () =>
    (foundAt ??= isAdmin().then(
      (is) => (is ? now() : undefined),
      () => undefined,
    ))
  const mayBeUnseen = async (error: unknown, path: string) => {
    const isUnseen =
      error instanceof Unauthorized ||
      error instanceof NotFound ||
      (error instanceof Conflict && path === SET_POLICY_PATH)
    if (!isUnseen) return false
    const changedAt =
      lastWriteAt() ?? (error instanceof Unauthorized ? await accountFoundAt() : undefined)
    return now() - (changedAt ?? 0) <= SEEN_WITHIN_MS
  }
  const core: Requester['core'] = async <Body>(question: ClientRequest) => {
    // Limits the attempts in addition to the time, because the clock may be set back.
    for (let attempts = 0; ; attempts++) {
      try {
        const answer = await requester.core<Body>(question)
        if (attempts > 0) onStep({ step: 'seen', what: question.path })
        return answer
      } catch (error) {
        const isLate = attempts * POLL_INTERVAL_MS >= SEEN_WITHIN_MS
        if (isLate || !(await mayBeUnseen(error, question.path))) throw error
      }
      await sleep(POLL_INTERVAL_MS, question.options?.signal)
    }
  }
  return { core, edge: (question) => requester.edge(question) }
}

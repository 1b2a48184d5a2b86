import { NotFound, Unauthorized } from '../failures/by-status.ts'
import type { Step } from '../options.ts'
import type { Question, Requester } from '../request.ts'
import type { Surroundings } from '../surroundings.ts'

/** The service sees a block within a second, and its nodes lag behind the wallet's by a few. */
const SEEN_WITHIN_MS = 10_000
const LOOK_EVERY_MS = 250

type Parts = Pick<Surroundings, 'now' | 'sleep'> & {
  onStep: (step: Step) => void
  /** When the wallet's last transaction was mined, Unix milliseconds. */
  lastWriteAt: () => number | undefined
  /** Whether the contract, as the wallet's own node shows it, has an account whose admin the wallet is. */
  isAdmin: () => Promise<boolean>
}

/**
 * Asks as `requester` does, and again where the answer may only mean that the service has not seen the block of the
 * wallet's last transaction: the account is not known yet (401), or the group that was just made is not (404). The first
 * 401 may be of an account that another client of the wallet has opened a moment ago: then the contract has it.
 */
export function untilSeen(requester: Requester, parts: Parts): Requester {
  const { now, sleep, onStep, lastWriteAt, isAdmin } = parts
  let foundAt: Promise<number | undefined> | undefined
  const found = () =>
    (foundAt ??= isAdmin().then(
      (is) => (is ? now() : undefined),
      () => undefined,
    ))
  const mayBeUnseen = async (error: unknown) => {
    if (!(error instanceof Unauthorized || error instanceof NotFound)) return false
    const changedAt = lastWriteAt() ?? (error instanceof Unauthorized ? await found() : undefined)
    return now() - (changedAt ?? 0) <= SEEN_WITHIN_MS
  }
  const core: Requester['core'] = async <Body>(question: Question) => {
    // Counted too: a clock may be set back.
    for (let looks = 0; ; looks++) {
      try {
        const answer = await requester.core<Body>(question)
        if (looks > 0) onStep({ step: 'seen', what: question.path })
        return answer
      } catch (error) {
        const isLate = looks * LOOK_EVERY_MS >= SEEN_WITHIN_MS
        if (isLate || !(await mayBeUnseen(error))) throw error
      }
      await sleep(LOOK_EVERY_MS, question.options?.signal)
    }
  }
  return { core, edge: (question) => requester.edge(question) }
}

/**
 * Maximum wait for the remaining nodes once a quorum has answered. Waiting prevents a fast node from deciding alone
 * that there is nothing new. The limit prevents a frozen node from delaying every poll by the full timeout.
 */
const GRACE_MS = 1_000

export type Progress = {
  /** True if the remaining nodes had time to answer after the quorum. */
  isLate: boolean
  /** True if every node has answered or failed. */
  isDone: boolean
}

type AskOptions<Node, Answer, Result> = {
  nodes: readonly Node[]
  quorum: number
  ask: (node: Node) => Promise<Answer>
  /** Called with at least a quorum of answers, until it returns a result. */
  decide: (answers: readonly Answer[], progress: Progress) => Result | undefined
  /** Called for each answer that arrives after the result. */
  onLate?: (answer: Answer) => void
  /** Returns the error to throw if there is no result. */
  toError: (answered: number, failures: readonly unknown[]) => unknown
}

/** Asks all nodes at once, and returns as soon as their answers suffice for a result, or can no longer suffice. */
export function askAll<Node, Answer, Result>({
  nodes,
  quorum,
  ask,
  decide,
  onLate,
  toError,
}: AskOptions<Node, Answer, Result>): Promise<Result> {
  const answers: Answer[] = []
  const failures: unknown[] = []
  const { promise, resolve, reject } = Promise.withResolvers<Result>()
  let grace: NodeJS.Timeout | undefined
  let isOver = false
  const end = (settle: () => void) => {
    isOver = true
    clearTimeout(grace)
    settle()
  }
  const check = (isLate = false) => {
    if (isOver) return
    const isDone = answers.length + failures.length === nodes.length
    const hasQuorum = answers.length >= quorum
    const result = hasQuorum ? decide(answers, { isLate: isLate || isDone, isDone }) : undefined
    if (result !== undefined) end(() => resolve(result))
    else if (isDone || nodes.length - failures.length < quorum)
      end(() => reject(toError(answers.length, failures)))
    else if (hasQuorum) grace ??= setTimeout(check, GRACE_MS, true)
  }
  const add = (answer: Answer) => {
    if (isOver) onLate?.(answer)
    else answers.push(answer)
  }
  for (const node of nodes)
    void ask(node)
      .then(add, (error: unknown) => failures.push(error))
      .then(() => check())
  return promise
}

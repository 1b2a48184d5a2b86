/** A policy document is invalid. Each problem names the path of the member, and how to correct it. */
export class PolicyError extends Error {
  override name = 'PolicyError'
  readonly problems: readonly PolicyProblem[]

  constructor(problems: readonly PolicyProblem[]) {
    super(problems.map(({ path, problem }) => `${path}: ${problem}`).join('\n'))
    this.problems = problems
  }
}

export type PolicyProblem = {
  /** Path of the member, for example `rules[2].calls[0].function`; `policy` for the document itself. */
  path: string
  /** Problem and its solution in words, without a full stop. */
  problem: string
}

/** @throws {PolicyError} */
export function refuse(path: string, problem: string): never {
  throw new PolicyError([{ path, problem }])
}

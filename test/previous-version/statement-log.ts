const LOG = Symbol.for('svc.statement-log')

/** Collects the SQL statements of the code under test, and sends them to the recorder. */
export class StatementLog {
  readonly #url: string
  readonly #unsent = new Set<string>()

  constructor(url: string) {
    this.#url = url
  }

  /** Ignores statements of the tests themselves. */
  add(database: string, text: string): void {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 100
    const { stack = '' } = new Error()
    Error.stackTraceLimit = stackTraceLimit
    if (!isFromTest(stack)) this.#unsent.add(JSON.stringify([database, text]))
  }

  async send(): Promise<void> {
    const body = `[${[...this.#unsent].join()}]`
    this.#unsent.clear()
    await fetch(`${this.#url}/statements`, { method: 'POST', body })
  }
}

/** True if the nearest frame of our own code is a test. */
function isFromTest(stack: string): boolean {
  const own = stack
    .split('\n')
    .slice(1)
    .filter((line) => /\.tsx?\b/.test(line) && !/node_modules|previous-version/.test(line))
  return own[0] !== undefined && own[0].includes('/test/')
}

/** Returns the log of this process, which all test files share, and creates it with `install` at the first call. */
export async function sharedLog(
  url: string,
  install: (log: StatementLog) => void | Promise<void>,
): Promise<StatementLog> {
  const shared = globalThis as { [LOG]?: StatementLog }
  if (shared[LOG]) return shared[LOG]
  const log = new StatementLog(url)
  shared[LOG] = log
  await install(log)
  return log
}

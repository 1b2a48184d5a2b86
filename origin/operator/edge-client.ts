/** Calls `/operator` of an edge. */
import {
  type ExportedTrigger,
  exportedTrigger,
  OPERATOR_PATH,
  operatorActionRecord,
  type OperatorActionRecord,
  operatorResponse,
  type OperatorRequest,
  type OperatorResponse,
} from '../../shared/wire/operator.ts'
import { z } from 'zod'
import { OperatorActionError } from './account-actions.ts'

/** Distributes over the commands, unlike `Omit`. */
type Without<Request, Fields extends PropertyKey> = Request extends unknown
  ? Omit<Request, Fields>
  : never
export type EdgeCommand = Without<OperatorRequest, 'operator' | 'reason' | 'dry_run'>
export type Who = { operator: string; reason: string }

const exportedPage = z.object({ triggers: z.array(exportedTrigger), next: z.string().nullable() })
const erasure = z.object({ triggers_left: z.int() })

export class EdgeClient {
  readonly #url: URL
  readonly #token: string
  readonly #fetch: typeof fetch

  constructor(url: string, token: string, send: typeof fetch) {
    this.#url = new URL(OPERATOR_PATH, url)
    this.#token = token
    this.#fetch = send
  }

  async log(): Promise<OperatorActionRecord[]> {
    return z.array(operatorActionRecord).parse(await this.#send('GET'))
  }

  async plan(command: EdgeCommand, who: Who): Promise<OperatorResponse['plan']> {
    const request = { ...command, ...who, dry_run: true }
    return operatorResponse.parse(await this.#send('POST', request)).plan
  }

  async perform(command: EdgeCommand, who: Who): Promise<Record<string, unknown>> {
    const response = operatorResponse.parse(await this.#send('POST', { ...command, ...who }))
    return response.result ?? {}
  }

  /** Repeats the command until the user has no triggers. @param userId an erased user can be found by ID only */
  async eraseUser(userId: string, who: Who): Promise<{ triggers_left: number }> {
    let before = Number.POSITIVE_INFINITY
    for (;;) {
      const result = await this.perform({ command: 'erase-user', user: userId }, who)
      const { triggers_left } = erasure.parse(result)
      // Without progress, the operator has to repeat the command later.
      if (triggers_left === 0 || triggers_left >= before) return { triggers_left }
      before = triggers_left
    }
  }

  async exportTriggers(userId: string, who: Who): Promise<ExportedTrigger[]> {
    const triggers: ExportedTrigger[] = []
    for (let after: string | undefined; ;) {
      const command = { command: 'export-triggers', user: userId, after } as const
      const page = exportedPage.parse(await this.perform(command, who))
      triggers.push(...page.triggers)
      if (page.next === null) return triggers
      after = page.next
    }
  }

  async #send(method: string, body?: object): Promise<unknown> {
    const response = await this.#fetch(this.#url, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      redirect: 'error',
      ...(body && { body: JSON.stringify(body) }),
    })
    const answer: unknown = await response.json().catch(() => undefined)
    if (response.ok) return answer
    const { message = '', fix = '' } = (answer ?? {}) as { message?: string; fix?: string }
    throw new OperatorActionError(`the edge responded with ${response.status}: ${message} ${fix}`)
  }
}

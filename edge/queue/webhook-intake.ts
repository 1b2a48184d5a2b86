import type { TriggerOptions } from '../../shared/wire/trigger.ts'
import { deliveryKey } from '../triggers/delivery-id.ts'
import type { HandshakeReply } from '../triggers/echo.ts'
import { postHandshake } from '../triggers/post-handshakes.ts'
import type { WebhookFiring } from './firing.ts'
import type { Accepted, Intake } from './intake.ts'
import type { TriggerState } from './trigger-state.ts'

/** A POST to a webhook, as it is sent to the trigger's object. */
export type WebhookPost = {
  /** JSON of `WebhookFiring`: most posts are stored without being read. */
  firing: string
  body: Uint8Array
  /** Headers that the action does not get, and that an owner may have named as the delivery id. */
  withheld: Record<string, string>
}

export type PostAnswer = Accepted | { state: 'handshake'; reply: HandshakeReply }

/** What the object of a webhook makes of a POST: a run, the run that the delivery had already, or a handshake. */
export class WebhookIntake {
  readonly #state: TriggerState
  readonly #intake: Intake

  constructor(state: TriggerState, intake: Intake) {
    this.#state = state
    this.#intake = intake
  }

  /** The options of this trigger, or `undefined` where there is no webhook: other kinds have no URL. */
  options(): TriggerOptions | undefined {
    const trigger = this.#state.current
    if (trigger?.kind !== 'webhook') return undefined
    return JSON.parse(trigger.options) as TriggerOptions
  }

  async accept({ firing, body, withheld }: WebhookPost): Promise<PostAnswer> {
    const options = this.options()
    if (!options) return { state: 'unknown' }
    const { dedup, handshake } = options
    if (!dedup && !handshake) return this.#intake.accept({ firing, body })
    const { headers, query } = JSON.parse(firing) as WebhookFiring
    const reply = handshake && postHandshake(handshake, { headers, query, body })
    if (reply) return { state: 'handshake', reply }
    const delivery = dedup ? await deliveryKey(dedup, { ...withheld, ...headers }) : undefined
    return this.#intake.accept({ firing, body, ...(delivery === undefined ? {} : { delivery }) })
  }
}

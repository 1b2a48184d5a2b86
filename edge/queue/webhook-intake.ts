import type { TriggerOptions } from '../../shared/wire/trigger.ts'
import { deliveryKey } from '../triggers/delivery-id.ts'
import type { HandshakeReply } from '../triggers/handshake-reply.ts'
import { postHandshake } from '../triggers/post-handshakes.ts'
import type { WebhookFiring } from './firing.ts'
import type { IntakeResult, Intake } from './intake.ts'
import { passNamedHeaders, type WithheldHeaders } from './named-headers.ts'
import { parseTriggerOptions } from './records.ts'
import type { TriggerState } from './trigger-state.ts'

export type WebhookPost = {
  /** `WebhookFiring` as JSON text. If the trigger has no options, the text is stored without being parsed. */
  firing: string
  body: Uint8Array
} & WithheldHeaders

export type WebhookResult = IntakeResult | { state: 'handshake'; reply: HandshakeReply }

export class WebhookIntake {
  readonly #state: TriggerState
  readonly #intake: Intake

  constructor(state: TriggerState, intake: Intake) {
    this.#state = state
    this.#intake = intake
  }

  options(): TriggerOptions | undefined {
    const trigger = this.#state.current
    return trigger?.kind === 'webhook' ? parseTriggerOptions(trigger) : undefined
  }

  async accept(post: WebhookPost): Promise<WebhookResult> {
    const options = this.options()
    if (!options) return { state: 'unknown' }
    const { body } = post
    const { dedup, handshake, pass_headers = [] } = options
    if (!dedup && !handshake && pass_headers.length === 0)
      return this.#intake.accept({ firing: post.firing, body })
    const received = JSON.parse(post.firing) as WebhookFiring
    const { headers, query } = received
    const reply = handshake && postHandshake(handshake, { headers, query, body })
    if (reply) return { state: 'handshake', reply }
    const delivery = dedup ? await deliveryKey(dedup, { ...post.withheld, ...headers }) : undefined
    const firing =
      pass_headers.length === 0
        ? post.firing
        : JSON.stringify(passNamedHeaders(received, pass_headers, post))
    return this.#intake.accept({ firing, body, ...(delivery === undefined ? {} : { delivery }) })
  }
}

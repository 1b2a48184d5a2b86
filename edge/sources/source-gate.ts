import type { WebhookSource } from '../../shared/wire/webhook-source.ts'
import type { HandshakeReply } from '../triggers/handshake-reply.ts'
import type { Rejections } from './rejections.ts'
import type { SignedRequest } from './scheme.ts'
import { openSecrets } from './seal-secrets.ts'
import { verifiedHandshake } from './source-handshakes.ts'
import { importSourceKey, type SourceKey } from './source-keys.ts'
import { verifyWebhook } from './verify-webhook.ts'
import { crcHandshake } from './x.ts'

export type SealedSource = { triggerId: string; source: WebhookSource; sealed: string | null }

type GateOptions = {
  macKey: () => string
  now: () => number
  rejections: Pick<Rejections, 'add'>
}

/** `accepted`: the webhook is a verified event. */
export type GateResult =
  | { state: 'accepted' }
  | { state: 'rejected' }
  | { state: 'handshake'; reply: HandshakeReply }

/** Verifies the webhooks of a trigger with `options.source`, and counts the rejected ones. */
export class SourceGate {
  readonly #options: GateOptions
  /** Keys of the current source, because decrypting and importing them takes longer than using them. */
  #opened: { id: string; keys: readonly SourceKey[] } | undefined

  constructor(options: GateOptions) {
    this.#options = options
  }

  async check(source: SealedSource, request: SignedRequest): Promise<GateResult> {
    const keys = await this.#keys(source)
    const now = this.#options.now()
    const verified = await verifyWebhook(keys, request, now)
    if (verified.state === 'rejected') {
      this.#options.rejections.add(verified.reason, now)
      return { state: 'rejected' }
    }
    const reply = await verifiedHandshake(source.source, verified.key.secret, request)
    return reply ? { state: 'handshake', reply } : { state: 'accepted' }
  }

  /** Answers X's handshake, which is a GET request without a signature. */
  async getHandshake(source: SealedSource, crcToken: string): Promise<HandshakeReply | undefined> {
    if (source.source !== 'x') return undefined
    const [key] = await this.#keys(source)
    return key && crcHandshake(key.secret, crcToken)
  }

  async #keys({ triggerId, source, sealed }: SealedSource): Promise<readonly SourceKey[]> {
    if (sealed === null) return []
    const id = `${sealed} ${JSON.stringify(source)}`
    if (this.#opened?.id === id) return this.#opened.keys
    const secrets = await openSecrets({ triggerId, macKey: this.#options.macKey() }, sealed)
    const keys: SourceKey[] = []
    for (const secret of secrets) keys.push(await importSourceKey(source, secret))
    this.#opened = { id, keys }
    return keys
  }
}

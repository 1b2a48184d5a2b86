import type { AlertDelivery } from '../../shared/wire/alert.ts'
import type {
  AlertChannelChange,
  AlertChannelRecord,
  AlertChannelWithSecret,
  NewAlertChannel,
} from '../../shared/wire/alert-channel.ts'
import type { AlertChannels } from './alert-channels.ts'
import type { AlertDeliveries } from './alert-deliveries.ts'
import { newChannelSecret, openChannelSecrets, sealChannelSecrets } from './channel-secrets.ts'
import type { PendingAlerts } from './pending-alerts.ts'

type ChannelSettingsOptions = {
  channels: AlertChannels
  deliveries: AlertDeliveries
  pending: PendingAlerts
  macKey: () => string
  userId: () => string
  random: (bytes: number) => Uint8Array
  onChanged: () => void
}

/** Operations of the user on channels. They return `undefined` for an unknown channel. */
export class ChannelSettings {
  readonly #options: ChannelSettingsOptions

  constructor(options: ChannelSettingsOptions) {
    this.#options = options
  }

  list(): AlertChannelRecord[] {
    return this.#options.channels.list()
  }

  /** The caller must have checked the URL, and that the user owns the triggers. @returns `undefined` if there are too many channels */
  async create(channel: NewAlertChannel, now: number): Promise<AlertChannelWithSecret | undefined> {
    const { channels, random } = this.#options
    const secret = channel.type === 'webhook' ? newChannelSecret(random) : null
    const sealed =
      secret === null ? null : await sealChannelSecrets(this.#owner(), [secret], random)
    if (channels.isFull()) return undefined
    const added = channels.add(channel, sealed, now)
    this.#options.onChanged()
    return { ...added, secret }
  }

  /** The caller must have checked the URL, and that the user owns the triggers. */
  change(id: number, change: AlertChannelChange): AlertChannelRecord | undefined {
    if (change.enabled === false) this.#options.pending.discardChannel(id)
    const changed = this.#options.channels.change(id, change)
    this.#options.onChanged()
    return changed
  }

  /** Replaces the secret of a webhook. */
  async rotate(id: number, now: number): Promise<AlertChannelWithSecret | undefined> {
    const { channels, random } = this.#options
    const old = channels.secretsOf(id, now)
    if (!old) return undefined
    const [current] = await openChannelSecrets(this.#owner(), old.sealed)
    const secret = newChannelSecret(random)
    const sealed = await sealChannelSecrets(this.#owner(), [secret, current!], random)
    const record = channels.replaceSecrets(id, sealed, now)
    return record && { ...record, secret }
  }

  remove(id: number): boolean {
    this.#options.pending.discardChannel(id)
    const isRemoved = this.#options.channels.remove(id)
    this.#options.onChanged()
    return isRemoved
  }

  test(id: number, now: number): AlertDelivery | undefined {
    const { channels, deliveries } = this.#options
    const channel = channels.byId(id)
    if (!channel) return undefined
    const to = { channel: channel.type, channelId: id, incidentIds: [], test: true }
    return deliveries.add(to, now)
  }

  #owner() {
    const { macKey, userId } = this.#options
    return { macKey: macKey(), userId: userId() }
  }
}

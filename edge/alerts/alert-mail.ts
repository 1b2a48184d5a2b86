import { withoutLinks } from '../identity/links-in-names.ts'
import type { Mail } from '../identity/mailer.ts'
import type { AlertChannelRecord } from '../../shared/wire/alert-channel.ts'
import type { IncidentRecord } from '../../shared/wire/alert.ts'
import { incidentPath } from './incident-path.ts'

/** Incidents that a digest lists. The others are only counted. */
const LISTED_MAX = 20

/**
 * Renders the mail for newly opened incidents. The mail contains no text of the runs, because senders of events can
 * influence it.
 */
export function alertMail(
  recipient: string,
  incidents: readonly IncidentRecord[],
  { publicUrl, muteUrl }: { publicUrl: string; muteUrl: string },
): Mail {
  const [first] = incidents
  const isDigest = incidents.length > 1
  const areTriggers = incidents.every(({ trigger_id }) => trigger_id !== null)
  const subject = isDigest
    ? `${incidents.length} ${areTriggers ? 'triggers need' : 'problems need'} attention`
    : `${summaryOf(first!)}: ${nameOf(first!)}`
  const listed = incidents.slice(0, LISTED_MAX).map((incident) => entry(incident, publicUrl))
  const more = incidents.length - LISTED_MAX
  const text = [
    ...listed,
    ...(more > 0 ? [`And ${more} more.`] : []),
    `All incidents: ${new URL('/alerts', publicUrl).href}`,
    'No further mail is sent about the same problem while it lasts.',
    `${isDigest || !areTriggers ? 'Mute all alerts' : 'Mute alerts of this trigger'}: ${muteUrl}`,
  ].join('\n\n')
  return { recipient, subject, text, headers: unsubscribeHeaders(muteUrl) }
}

/** Renders the mail that a channel was disabled by the service. */
export function channelMail(
  recipient: string,
  { name, disabled_reason }: Pick<AlertChannelRecord, 'name' | 'disabled_reason'>,
  publicUrl: string,
): Mail {
  const reason =
    disabled_reason === 'gone'
      ? 'because its receiver does not exist anymore'
      : 'because it could not be reached for days'
  const text = [
    `${lineOf(name)}: the channel was disabled, ${reason}. It receives no alerts until you enable it.`,
    `Settings: ${new URL('/alerts', publicUrl).href}`,
  ].join('\n\n')
  return { recipient, subject: `Alert channel disabled: ${lineOf(name)}`, text }
}

export function testMail(recipient: string, publicUrl: string): Mail {
  const text = [
    'You requested this mail to test the alerts of your account. Nothing failed.',
    `Settings: ${new URL('/alerts', publicUrl).href}`,
  ].join('\n\n')
  return { recipient, subject: 'Test of your alerts', text }
}

/** One-click unsubscription (RFC 8058): mail programs post to the URL. */
function unsubscribeHeaders(url: string): Record<string, string> {
  return {
    'List-Unsubscribe': `<${url}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }
}

function entry(incident: IncidentRecord, publicUrl: string): string {
  const { opened_at, code, message, signal, trigger_id } = incident
  return [
    `${nameOf(incident)}: ${summaryOf(incident)}${code === null ? '' : ` (${code})`}`,
    `Since ${opened_at.replace('T', ' ').slice(0, 16)} UTC`,
    // Messages of other incidents can contain text of actions or senders.
    ...(trigger_id === null && message !== null ? [message] : []),
    ...(signal === 'evidence_changed'
      ? [`What this means: ${new URL('/docs/attestation', publicUrl).href}`]
      : []),
    new URL(incidentPath(incident), publicUrl).href,
  ].join('\n')
}

function summaryOf({ signal }: IncidentRecord): string {
  switch (signal) {
    case 'run_failed':
      return 'A run failed'
    case 'trigger_disabled':
      return 'The trigger was disabled'
    case 'trigger_held':
      return 'Runs are waiting'
    case 'failure_rate':
      return 'Many runs fail'
    case 'queue_share':
      return 'The queue is almost full'
    case 'schedule_late':
      return 'The schedule did not fire on time'
    case 'chain_lagging':
      return 'A chain lags behind'
    case 'evidence_changed':
      return 'The evidence of the service changed'
    case 'key_expiring':
      return 'The usage key expires soon'
    case 'credit_low':
      return 'The credit is low'
    case 'payment_failed':
      return 'A payment failed'
  }
}

const NAME_MAX = 80

const nameOf = ({ trigger_name, subject }: IncidentRecord) => lineOf(trigger_name ?? subject!)

/** Names are shortened to one line without control characters, because a subject is a mail header. */
function lineOf(name: string): string {
  return withoutLinks(
    name
      .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
      .slice(0, NAME_MAX)
      .trim(),
  )
}

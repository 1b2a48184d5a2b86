import type { FC } from 'hono/jsx'
import { Field, Select } from '../../../browser/components/form-fields.tsx'
import { HANDSHAKE_SENDERS, type TriggerKind } from '../../../../shared/wire/trigger.ts'
import type { Chains } from '../../../chain/chain-settings.ts'
import { ChainFields } from './chain-fields.tsx'
import { controlProps, type FormValues } from './problems.ts'

export const KindFields: FC<FormValues & { kind: TriggerKind; chains: Chains }> = ({
  kind,
  chains,
  ...values
}) => {
  switch (kind) {
    case 'webhook':
      return <WebhookFields {...values} />
    case 'schedule':
      return <ScheduleFields {...values} />
    case 'chain_event':
      return <ChainFields {...values} chains={chains} />
  }
}

const WebhookFields: FC<FormValues> = (values) => (
  <>
    <p>
      Each POST to the webhook URL starts one run. The URL is created with the trigger, and its page
      shows it with a command to try. Anyone who knows the URL can fire the trigger, so verify the
      sender’s signature in the action.
    </p>
    <Select
      label="Handshake"
      hint="Some services verify the webhook URL before they send events."
      choices={[['', 'None'], ...HANDSHAKE_SENDERS.map((name) => [name, SENDERS[name]] as const)]}
      {...controlProps(values, 'handshake')}
    />
    <Select
      label="Duplicate deliveries"
      choices={[
        ['', 'Run each delivery'],
        ['known', 'Run once per delivery ID of common senders'],
        ['header', 'Run once per value of the header below'],
      ]}
      {...controlProps(values, 'dedup')}
    />
    <Field
      label="Delivery ID header"
      hint="Used by the last option above."
      type="text"
      maxlength={64}
      {...controlProps(values, 'dedup_header')}
    />
    <Field
      label="Additional headers to pass"
      hint="Separated by spaces. Signature and event headers of common senders are always passed. Values are masked in the run history."
      type="text"
      spellcheck={false}
      {...controlProps(values, 'pass_headers')}
    />
  </>
)

const SENDERS: Record<(typeof HANDSHAKE_SENDERS)[number], string> = {
  slack: 'Slack',
  twitch: 'Twitch',
  monday: 'monday.com',
  microsoft_graph: 'Microsoft Graph',
  smartsheet: 'Smartsheet',
  ringcentral: 'RingCentral',
  asana: 'Asana',
  event_grid: 'Azure Event Grid',
  strava: 'Strava',
}

const ScheduleFields: FC<FormValues> = (values) => (
  <Field
    label="Cron expression (UTC)"
    hint="Minute, hour, day, month, weekday, optionally preceded by seconds. At least 30 s apart. 0 9 * * 1-5 means Monday to Friday at 09:00."
    type="text"
    required
    maxlength={256}
    spellcheck={false}
    {...controlProps(values, 'cron')}
  />
)

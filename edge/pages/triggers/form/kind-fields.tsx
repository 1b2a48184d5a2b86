import type { FC } from 'hono/jsx'
import { Field } from '../../../browser/components/elements.tsx'
import { Select } from '../../../browser/components/text-area-and-select.tsx'
import { HANDSHAKE_SENDERS, type TriggerKind } from '../../../../shared/wire/trigger.ts'
import type { Chains } from '../../../chain/chain-settings.ts'
import { ChainFields } from './chain-fields.tsx'
import type { TriggerFormFields } from './trigger-form-fields.ts'
import type { Problems } from './problems.ts'

type Props = { fields: TriggerFormFields; problems: Problems }

export const KindFields: FC<Props & { kind: TriggerKind; chains: Chains }> = ({
  kind,
  chains,
  ...props
}) => {
  switch (kind) {
    case 'webhook':
      return <WebhookFields {...props} />
    case 'schedule':
      return <ScheduleFields {...props} />
    case 'chain_event':
      return <ChainFields {...props} chains={chains} />
  }
}

const WebhookFields: FC<Props> = ({ fields, problems }) => (
  <>
    <p>
      Each POST to the webhook URL starts one run. The URL is created with the trigger, and its page
      shows it with a command to try. Anyone who knows the URL can fire the trigger, so verify the
      sender’s signature in the action.
    </p>
    <Select
      name="handshake"
      label="Handshake"
      hint="Some services verify the webhook URL before they send events."
      value={fields.handshake}
      choices={[['', 'None'], ...HANDSHAKE_SENDERS.map((name) => [name, SENDERS[name]] as const)]}
      error={problems.handshake}
    />
    <Select
      name="dedup"
      label="Duplicate deliveries"
      value={fields.dedup}
      choices={[
        ['', 'Run each delivery'],
        ['known', 'Run once per delivery ID of common senders'],
        ['header', 'Run once per value of the header below'],
      ]}
      error={problems.dedup}
    />
    <Field
      name="dedup_header"
      label="Delivery ID header"
      hint="Used by the last option above."
      type="text"
      maxlength={64}
      value={fields.dedup_header}
      error={problems.dedup_header}
    />
    <Field
      name="pass_headers"
      label="Additional headers to pass"
      hint="Separated by spaces. Signature and event headers of common senders are always passed. Values are masked in the run history."
      type="text"
      spellcheck={false}
      value={fields.pass_headers}
      error={problems.pass_headers}
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

const ScheduleFields: FC<Props> = ({ fields, problems }) => (
  <Field
    name="cron"
    label="Cron expression (UTC)"
    hint="Minute, hour, day, month, weekday, with optional seconds in front. At least 30 s apart. 0 9 * * 1-5 means Monday to Friday at 09:00."
    type="text"
    required
    maxlength={256}
    spellcheck={false}
    value={fields.cron}
    error={problems.cron}
  />
)

/** Form fields for when a trigger fires, by kind. */
import type { FC } from 'hono/jsx'
import { Field } from '../../../console/parts.tsx'
import { Select } from '../../../console/fields.tsx'
import { HANDSHAKE_SENDERS } from '../../../../shared/wire/trigger.ts'
import type { Chains } from '../../../chain/chain-settings.ts'
import { ChainFields } from './chain-fields.tsx'
import type { TriggerFields } from './fields.ts'
import type { FormState } from './form.tsx'
import type { Problems } from './problems.ts'

type Props = { fields: TriggerFields; problems: Problems }

export const KindFields: FC<FormState & { chains: Chains }> = ({ kind, chains, ...props }) => {
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
      Each POST to its address is one run. The address is made with the trigger, and its page has it
      with a command to try. Whoever knows it can fire it: the action checks the sender’s signature.
    </p>
    <Select
      name="handshake"
      label="Sender that asks first"
      hint="Some services ask whether an address expects their events. Others need no answer."
      value={fields.handshake}
      choices={[
        ['', 'None of these'],
        ...HANDSHAKE_SENDERS.map((name) => [name, SENDERS[name]] as const),
      ]}
      error={problems.handshake}
    />
    <Select
      name="dedup"
      label="Deliveries that come twice"
      value={fields.dedup}
      choices={[
        ['', 'Each is a run'],
        ['known', 'One run, by the delivery id of common senders'],
        ['header', 'One run, by the header named below'],
      ]}
      error={problems.dedup}
    />
    <Field
      name="dedup_header"
      label="Header with the delivery’s id"
      hint="For the last choice above."
      type="text"
      maxlength={64}
      value={fields.dedup_header}
      error={problems.dedup_header}
    />
    <Field
      name="pass_headers"
      label="Further headers to pass"
      hint="Names with blanks between them. Signature and event headers of common senders always pass. Runs show these masked."
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
    label="Cron, in UTC"
    hint="Minute, hour, day, month, weekday; a sixth field in front is seconds. At least 30 s apart. 0 9 * * 1-5 is Monday to Friday at 09:00."
    type="text"
    required
    maxlength={256}
    spellcheck={false}
    value={fields.cron}
    error={problems.cron}
  />
)

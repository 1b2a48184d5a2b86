import type { FC } from 'hono/jsx'
import { Field, Select, TextArea } from '../../../browser/components/form-fields.tsx'
import { HANDSHAKE_SENDERS, type TriggerKind } from '../../../../shared/wire/trigger.ts'
import { type Chains, CHAIN_NAMES } from '../../../../shared/config/chain-settings.ts'
import { controlProps, type FormValues } from './problems.ts'
import { FactoryFields } from './factory-fields.tsx'
import { ScheduleFields } from './schedule-fields.tsx'
import { SourceFields } from './source-fields.tsx'
import { TransactionFields } from './transaction-fields.tsx'
import { TOPIC_FIELDS } from './trigger-form-fields.ts'

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
      shows it with a command to try. Anyone who knows the URL can fire the trigger, unless you
      choose the sender here, or verify its signature in the action.
    </p>
    <SourceFields {...values} />
    <Select
      label="Handshake"
      hint="Some services verify the webhook URL before they send events."
      choices={[['', 'None'], ...HANDSHAKE_SENDERS.map((name) => [name, SENDERS[name]] as const)]}
      {...controlProps(values, 'handshake')}
    />
    <Select
      label="Response"
      choices={[
        ['', '202 at once, with the ID of the run'],
        ['run', 'Response of the action, if the run ends within 10 s'],
      ]}
      {...controlProps(values, 'respond')}
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
      maxlength={64}
      {...controlProps(values, 'dedup_header')}
    />
    <Field
      label="Additional headers to pass"
      hint="Separated by spaces. Signature and event headers of common senders are always passed. Values are masked in the run history."
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

const ChainFields: FC<FormValues & { chains: Chains }> = ({ chains, ...values }) => {
  const { chain: chosen } = values.fields
  const watched = CHAIN_NAMES.flatMap((name) => {
    const chain = chains[name]
    return chain ? [[name, `${name} (chain id ${chain.chainId})`] as const] : []
  })
  const unwatched = chosen !== '' && !watched.some(([name]) => name === chosen)
  return (
    <>
      {watched.length === 0 && (
        <p class="warn">
          This deployment does not watch any chain. Its operator can configure chains with the
          CHAINS setting.
        </p>
      )}
      <Select
        label="Chain"
        choices={[
          ...watched,
          ...(unwatched ? [[chosen, `${chosen} (not watched here)`] as const] : []),
        ]}
        {...controlProps(values, 'chain')}
      />
      <Field
        label="Contract"
        hint="The address that emits the logs. For a proxy contract, the address of the proxy."
        maxlength={64}
        spellcheck={false}
        placeholder="0x"
        {...controlProps(values, 'contract_address')}
      />
      <Field
        label="Event"
        hint="As declared in the contract. Argument names and indexed are recommended: Transfer(address indexed from, address indexed to, uint256 value)"
        spellcheck={false}
        {...controlProps(values, 'event_signature')}
      />
      <Field
        label="Block interval"
        hint="Instead of a contract and an event: a run at each block whose number is divisible by this number."
        inputmode="numeric"
        maxlength={9}
        {...controlProps(values, 'blocks_every')}
      />
      <FactoryFields {...values} />
      <TransactionFields {...values} />
    </>
  )
}

/** They are placed after the preview, so that the preview stays next to the event field. */
export const ChainOptionFields: FC<FormValues> = (values) => (
  <details {...(hasTopics(values) && { open: true })}>
    <summary>Filters and past logs</summary>
    {TOPIC_FIELDS.map((name, at) => (
      <Field
        label={`Topic ${at + 1}`}
        {...(at === 0 && {
          hint: 'The first indexed argument, as 32 bytes of hex. To match any of several values, separate them with spaces. Leave empty to match all values.',
        })}
        spellcheck={false}
        {...controlProps(values, name)}
      />
    ))}
    <TextArea
      label="Further addresses"
      hint="Other contracts with this event, separated by spaces or lines. The preview while you type shows only logs of the contract above."
      rows={2}
      {...controlProps(values, 'addresses')}
    />
    <TextArea
      label="Conditions"
      hint="On arguments of the event, one per line, such as value >= 1000000, or to = 0x…, 0x… for any of several values. All of them must hold."
      rows={2}
      {...controlProps(values, 'where')}
    />
    <Field
      label="Start block"
      hint="Logs since this block also fire the trigger. Leave empty to start now."
      maxlength={40}
      spellcheck={false}
      {...controlProps(values, 'start_block')}
    />
    <Select
      label="Finality"
      choices={[
        ['', 'Default for the chain'],
        ['latest', 'Latest: fires at once, but the block may be reorganized'],
        ['safe', 'Safe, as reported by the chain'],
        ['finalized', 'Finalized, as reported by the chain'],
        ['blocks', 'After the number of blocks below'],
      ]}
      {...controlProps(values, 'finality')}
    />
    <Field
      label="Confirmation blocks"
      hint="Used by the last option above."
      inputmode="numeric"
      maxlength={5}
      {...controlProps(values, 'finality_blocks')}
    />
  </details>
)

function hasTopics({ fields, problems }: FormValues): boolean {
  const inside = [
    ...TOPIC_FIELDS,
    'addresses',
    'where',
    'start_block',
    'finality',
    'finality_blocks',
  ] as const
  return inside.some((name) => fields[name] !== '' || problems[name] !== undefined)
}

import type { FC } from 'hono/jsx'
import { Select } from '../../../browser/components/text-area-and-select.tsx'
import { Field } from '../../../browser/components/elements.tsx'
import { CHAIN_NAMES, type Chains } from '../../../chain/chain-settings.ts'
import { TOPIC_FIELDS, type TriggerFormFields } from './trigger-form-fields.ts'
import type { Problems } from './problems.ts'

type Props = { fields: TriggerFormFields; problems: Problems }

export const ChainFields: FC<Props & { chains: Chains }> = ({ fields, problems, chains }) => {
  const watched = CHAIN_NAMES.flatMap((name) => {
    const chain = chains[name]
    return chain ? [[name, `${name} (chain id ${chain.chainId})`] as const] : []
  })
  const unwatched = fields.chain !== '' && !watched.some(([name]) => name === fields.chain)
  return (
    <>
      {watched.length === 0 && (
        <p class="warn">
          This deployment does not watch any chain. Its operator can configure chains with the
          CHAINS setting.
        </p>
      )}
      <Select
        name="chain"
        label="Chain"
        value={fields.chain}
        choices={[
          ...watched,
          ...(unwatched ? [[fields.chain, `${fields.chain} (not watched here)`] as const] : []),
        ]}
        error={problems.chain}
      />
      <Field
        name="contract_address"
        label="Contract"
        hint="The address that emits the logs. For a proxy contract, the address of the proxy."
        type="text"
        required
        maxlength={64}
        spellcheck={false}
        placeholder="0x"
        value={fields.contract_address}
        error={problems.contract_address}
      />
      <Field
        name="event_signature"
        label="Event"
        hint="As declared in the contract. Argument names and indexed are recommended: Transfer(address indexed from, address indexed to, uint256 value)"
        type="text"
        required
        spellcheck={false}
        value={fields.event_signature}
        error={problems.event_signature}
      />
    </>
  )
}

/** Placed after the preview, so that the preview stays next to the event field. */
export const ChainOptionFields: FC<Props> = ({ fields, problems }) => (
  <details {...(hasTopics({ fields, problems }) && { open: true })}>
    <summary>Filters and past logs</summary>
    {TOPIC_FIELDS.map((name, at) => (
      <Field
        name={name}
        label={`Topic ${at + 1}`}
        {...(at === 0 && {
          hint: 'The first indexed argument, as 32 bytes of hex. Separate alternatives with spaces. Leave empty to match any value.',
        })}
        type="text"
        spellcheck={false}
        value={fields[name]}
        error={problems[name]}
      />
    ))}
    <Field
      name="start_block"
      label="Start block"
      hint="Logs since this block also fire the trigger. Leave empty to start now."
      type="text"
      maxlength={40}
      spellcheck={false}
      value={fields.start_block}
      error={problems.start_block}
    />
    <Select
      name="finality"
      label="Finality"
      value={fields.finality}
      choices={[
        ['', 'Default for the chain'],
        ['latest', 'Latest: fires at once, but the block may be reorganized'],
        ['safe', 'Safe, as reported by the chain'],
        ['finalized', 'Finalized, as reported by the chain'],
        ['blocks', 'After the number of blocks below'],
      ]}
      error={problems.finality}
    />
    <Field
      name="finality_blocks"
      label="Confirmation blocks"
      hint="Used by the last option above."
      type="text"
      inputmode="numeric"
      maxlength={5}
      value={fields.finality_blocks}
      error={problems.finality_blocks}
    />
  </details>
)

function hasTopics({ fields, problems }: Props): boolean {
  const inside = [...TOPIC_FIELDS, 'start_block', 'finality', 'finality_blocks'] as const
  return inside.some((name) => fields[name] !== '' || problems[name] !== undefined)
}

/** Form fields of a chain event: the chain, and which of its logs fire the trigger. */
import type { FC } from 'hono/jsx'
import { Select } from '../../../console/fields.tsx'
import { Field } from '../../../console/parts.tsx'
import { CHAIN_NAMES, type Chains } from '../../../chain/chain-settings.ts'
import { TOPIC_FIELDS, type TriggerFields } from './fields.ts'
import type { Problems } from './problems.ts'

type Props = { fields: TriggerFields; problems: Problems }

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
          This deployment watches no chain: its operator can configure some (CHAINS).
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
        hint="The address whose logs they are; of a proxy, the proxy’s."
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
        hint="As its contract declares it; names and indexed are welcome: Transfer(address indexed from, address indexed to, uint256 value)"
        type="text"
        required
        spellcheck={false}
        value={fields.event_signature}
        error={problems.event_signature}
      />
    </>
  )
}

/** Rarely changed fields. They follow the check, so that its result stays next to the event. */
export const ChainMoreFields: FC<Props> = ({ fields, problems }) => (
  <details {...(hasTopics({ fields, problems }) && { open: true })}>
    <summary>Only some of them, or past ones</summary>
    {TOPIC_FIELDS.map((name, at) => (
      <Field
        name={name}
        label={`Topic ${at + 1}`}
        {...(at === 0 && {
          hint: 'The first indexed argument, as 32 bytes of hex; several apart by blanks are any of them. Empty: anything.',
        })}
        type="text"
        spellcheck={false}
        value={fields[name]}
        error={problems[name]}
      />
    ))}
    <Field
      name="start_block"
      label="Begin at block"
      hint="Past logs since then fire too. Empty: from now on."
      type="text"
      maxlength={40}
      spellcheck={false}
      value={fields.start_block}
      error={problems.start_block}
    />
    <Select
      name="finality"
      label="When a block is final"
      value={fields.finality}
      choices={[
        ['', 'As is usual for the chain'],
        ['latest', 'At once (latest): it may still be taken back'],
        ['safe', 'When the chain calls it safe'],
        ['finalized', 'When the chain calls it finalized'],
        ['blocks', 'Under as many blocks as stand below'],
      ]}
      error={problems.finality}
    />
    <Field
      name="finality_blocks"
      label="Blocks on top of it"
      hint="For the last choice above."
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

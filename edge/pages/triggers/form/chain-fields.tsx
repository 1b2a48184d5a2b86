import type { FC } from 'hono/jsx'
import { Select, Field } from '../../../browser/components/form-fields.tsx'
import { CHAIN_NAMES, type Chains } from '../../../chain/chain-settings.ts'
import { TOPIC_FIELDS } from './trigger-form-fields.ts'
import { controlProps, type FormValues } from './problems.ts'

export const ChainFields: FC<FormValues & { chains: Chains }> = ({ chains, ...values }) => {
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
        type="text"
        required
        maxlength={64}
        spellcheck={false}
        placeholder="0x"
        {...controlProps(values, 'contract_address')}
      />
      <Field
        label="Event"
        hint="As declared in the contract. Argument names and indexed are recommended: Transfer(address indexed from, address indexed to, uint256 value)"
        type="text"
        required
        spellcheck={false}
        {...controlProps(values, 'event_signature')}
      />
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
        type="text"
        spellcheck={false}
        {...controlProps(values, name)}
      />
    ))}
    <Field
      label="Start block"
      hint="Logs since this block also fire the trigger. Leave empty to start now."
      type="text"
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
      type="text"
      inputmode="numeric"
      maxlength={5}
      {...controlProps(values, 'finality_blocks')}
    />
  </details>
)

function hasTopics({ fields, problems }: FormValues): boolean {
  const inside = [...TOPIC_FIELDS, 'start_block', 'finality', 'finality_blocks'] as const
  return inside.some((name) => fields[name] !== '' || problems[name] !== undefined)
}

import { useState } from 'preact/hooks'
import type { FC } from 'hono/jsx'
import { Field, LiveTextArea, Select } from '../components/form-fields.tsx'
import { chainName, USDC_DECIMALS, USDC_DEPLOYMENTS } from './deployments.ts'
import {
  CHANGES,
  type FieldName,
  generatePolicy,
  INITIAL_FIELDS,
  lacksChecksum,
  TEMPLATES,
  type TemplateFields,
  type TemplateName,
} from './templates.ts'

type Props = {
  /** Prefix of the IDs of the fields. */
  prefix: string
  /** Label of the button. */
  submit: string
  onGenerated: (document: object) => void
}

export const TemplateForm: FC<Props> = ({ prefix, submit, onGenerated }) => {
  const [template, setTemplate] = useState<TemplateName>('payments')
  const [fields, setFields] = useState<TemplateFields>(INITIAL_FIELDS)
  const [isChecked, setChecked] = useState(false)
  const generated = generatePolicy(template, fields)
  const errors = isChecked && 'errors' in generated ? generated.errors : {}

  const change = (changed: Partial<TemplateFields>) => setFields({ ...fields, ...changed })
  const generate = (event: Event) => {
    event.preventDefault()
    setChecked(true)
    if ('document' in generated) return onGenerated(generated.document)
    const form = event.target as HTMLFormElement
    requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus())
  }
  /** Returns the attributes of a field. */
  const of = (name: FieldName) => ({
    name: `${prefix}-${name}`,
    error: errors[name],
    value: fields[name],
    autocomplete: 'off',
    spellcheck: false,
    onInput: (event: Event) => change({ [name]: (event.target as HTMLInputElement).value }),
  })
  return (
    <form class="template" onSubmit={generate} noValidate>
      <Select
        name={`${prefix}-template`}
        label="Template"
        value={template}
        choices={TEMPLATES.map(({ name, title }) => [name, title] as const)}
        onChange={(event: Event) => {
          setTemplate((event.target as HTMLSelectElement).value as TemplateName)
          setChecked(false)
        }}
      />
      {template === 'payments' && <PaymentFields {...{ prefix, fields, change, of }} />}
      {template === 'contract' && <ContractFields {...{ fields, of }} />}
      {template === 'orders' && <OrderFields {...{ fields, of }} />}
      <Select
        name={`${prefix}-changes`}
        label="Changes that loosen the policy take effect"
        hint="Changes that only tighten it always take effect at once."
        value={fields.changes}
        choices={Object.entries(CHANGES).map(([name, { title }]) => [name, title] as const)}
        onChange={(event: Event) =>
          change({
            changes: (event.target as HTMLSelectElement).value as TemplateFields['changes'],
          })
        }
      />
      {fields.changes === 'never' && (
        <p class="warn">
          Check and simulate the policy first: nobody will be able to correct it, and a wallet
          cannot get another policy.
        </p>
      )}
      <button class="quiet">{submit}</button>
    </form>
  )
}

type FieldsProps = {
  fields: TemplateFields
  of: (name: FieldName) => {
    name: string
    error: string | undefined
    value: string
    autocomplete: string
    spellcheck: boolean
    onInput: (event: Event) => void
  }
}

const NO_CHECKSUM =
  'Without a checksum (capital letters), typing errors cannot be detected. Compare each digit.'

const OTHER = 'other'

const PaymentFields: FC<
  FieldsProps & { prefix: string; change: (changed: Partial<TemplateFields>) => void }
> = ({ prefix, fields, change, of }) => {
  const known = USDC_DEPLOYMENTS.find(
    ({ chain, address }) => String(chain) === fields.chain && address === fields.tokenAddress,
  )
  const choose = (event: Event) => {
    const chosen = USDC_DEPLOYMENTS.find(
      ({ chain }) => String(chain) === (event.target as HTMLSelectElement).value,
    )
    change(
      chosen
        ? {
            chain: String(chosen.chain),
            token: 'USDC',
            tokenAddress: chosen.address,
            decimals: String(USDC_DECIMALS),
            gasPrice: chosen.gasPriceGwei,
          }
        : { tokenAddress: '' },
    )
  }
  return (
    <>
      <Select
        name={`${prefix}-deployment`}
        label="Token"
        value={known ? String(known.chain) : OTHER}
        choices={[
          ...USDC_DEPLOYMENTS.map(
            ({ chain }) => [String(chain), `USDC on ${chainName(chain)}`] as const,
          ),
          [OTHER, 'Another token'],
        ]}
        onChange={choose}
      />
      <div class="field-grid">
        <Field label="Chain ID" inputmode="numeric" {...of('chain')} />
        <Field label="Token symbol" {...of('token')} />
        <Field label="Decimals" inputmode="numeric" {...of('decimals')} />
      </div>
      <Field label="Token address" {...of('tokenAddress')} />
      <div class="field-grid">
        <Field
          label={`Limit in ${fields.token || 'tokens'} per day`}
          inputmode="decimal"
          {...of('perDay')}
        />
        <GasPrice of={of} />
      </div>
      <LiveTextArea
        label="Recipients"
        hint={`Addresses, one per line.${lacksChecksum(fields.recipients) ? ` ${NO_CHECKSUM}` : ''}`}
        rows={3}
        {...of('recipients')}
      />
    </>
  )
}

const ContractFields: FC<FieldsProps> = ({ fields, of }) => (
  <>
    <div class="field-grid">
      <Field label="Chain ID" inputmode="numeric" {...of('chain')} />
      <GasPrice of={of} />
      <Field
        label="Highest value per call"
        hint="In the native coin, such as 0.1."
        inputmode="decimal"
        {...of('value')}
      />
    </div>
    <Field
      label="Contract address"
      {...(lacksChecksum(fields.contract) && { hint: NO_CHECKSUM })}
      {...of('contract')}
    />
    <LiveTextArea
      label="Functions"
      hint="Solidity signatures, one per line. Any arguments are allowed; add conditions in the document."
      rows={4}
      {...of('functions')}
    />
  </>
)

const OrderFields: FC<FieldsProps> = ({ fields, of }) => (
  <>
    <div class="field-grid">
      <Field label="Chain ID" inputmode="numeric" {...of('chain')} />
      <Field
        label="Domain name"
        hint="The name in the EIP-712 domain. Optional."
        {...of('domain')}
      />
    </div>
    <Field
      label="Verifying contract"
      {...(lacksChecksum(fields.verifyingContract) && { hint: NO_CHECKSUM })}
      {...of('verifyingContract')}
    />
    <LiveTextArea
      label="Type"
      hint="The text of encodeType in EIP-712, with all referenced types."
      rows={3}
      {...of('type')}
    />
  </>
)

const GasPrice: FC<Pick<FieldsProps, 'of'>> = ({ of }) => (
  <Field label="Highest gas price in gwei" inputmode="decimal" {...of('gasPrice')} />
)

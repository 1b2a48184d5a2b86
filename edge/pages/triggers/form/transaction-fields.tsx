import type { FC } from 'hono/jsx'
import { Field, Select } from '../../../browser/components/form-fields.tsx'
import { controlProps, type FormValues } from './problems.ts'
import { TRANSACTION_FIELDS } from './trigger-form-fields.ts'

export const TransactionFields: FC<FormValues> = (values) => (
  <details
    {...(TRANSACTION_FIELDS.some(
      (name) => values.fields[name] !== '' || values.problems[name] !== undefined,
    ) && { open: true })}
  >
    <summary>Transactions instead of an event</summary>
    <Field
      label="Recipients"
      hint="Addresses separated by spaces. Each transaction to one of them starts a run. If you also enter senders, both must match."
      spellcheck={false}
      {...controlProps(values, 'transactions_to')}
    />
    <Field label="Senders" spellcheck={false} {...controlProps(values, 'transactions_from')} />
    <Field
      label="Selectors"
      hint="First four bytes of the input, such as 0xa9059cbb. Leave empty for any input."
      spellcheck={false}
      {...controlProps(values, 'transactions_selector')}
    />
    <Field
      label="Minimum value"
      hint="In wei."
      inputmode="numeric"
      maxlength={78}
      {...controlProps(values, 'transactions_min_value')}
    />
    <Select
      label="Transaction status"
      choices={[
        ['', 'Successful'],
        ['reverted', 'Reverted'],
        ['any', 'Any'],
      ]}
      {...controlProps(values, 'transactions_status')}
    />
  </details>
)

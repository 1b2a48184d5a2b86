import type { FC } from 'hono/jsx'
import { Field } from '../../../browser/components/form-fields.tsx'
import { controlProps, type FormValues } from './problems.ts'
import { FACTORY_FIELDS } from './trigger-form-fields.ts'

export const FactoryFields: FC<FormValues> = (values) => (
  <details
    {...(FACTORY_FIELDS.some(
      (name) => values.fields[name] !== '' || values.problems[name] !== undefined,
    ) && { open: true })}
  >
    <summary>Contracts of a factory instead of a contract</summary>
    <Field
      label="Factory"
      hint="The address of the contract that creates the contracts. Those created from the start block on are watched."
      maxlength={64}
      spellcheck={false}
      placeholder="0x"
      {...controlProps(values, 'factory_address')}
    />
    <Field
      label="Event of the factory"
      hint="As declared in the factory, with indexed: PairCreated(address indexed token0, address indexed token1, address pair, uint256)"
      spellcheck={false}
      {...controlProps(values, 'factory_event')}
    />
    <Field
      label="Argument with the new contract"
      hint="Its name, or arg0, arg1 and so on."
      maxlength={64}
      spellcheck={false}
      {...controlProps(values, 'factory_parameter')}
    />
  </details>
)

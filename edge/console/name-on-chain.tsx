import type { FC } from 'hono/jsx'
import { NAME_MAX_CHARACTERS } from '../../shared/limits.ts'
import { Field } from './parts.tsx'

/** Field for the name of an account, wallet, group or key, which is stored in the contract. */
export const NameOnChain: FC<{
  /** Name of the form field. */
  name: string
  optional?: boolean
}> = ({ name, optional = false }) => (
  <Field
    name={name}
    label="Name"
    hint={`${optional ? 'Optional. ' : ''}Written on the chain, for everybody to read.`}
    type="text"
    required={!optional}
    maxlength={NAME_MAX_CHARACTERS}
    autocomplete="off"
  />
)

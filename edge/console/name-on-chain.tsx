import type { FC } from 'hono/jsx'
import { NAME_MAX_CHARACTERS } from '../../shared/limits.ts'
import { Field } from './parts.tsx'

/** The name of an account, a wallet, a group or a key, as the contract keeps it. */
export const NameOnChain: FC<{
  /** Of the field. */
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

import type { FC } from 'hono/jsx'
import { NAME_MAX_CHARACTERS } from '../../../shared/limits.ts'
import { Field } from './elements.tsx'

/** The name is stored in the contract, so it is public. */
export const PublicNameField: FC<{
  name: string
  optional?: boolean
}> = ({ name, optional = false }) => (
  <Field
    name={name}
    label="Name"
    hint={`${optional ? 'Optional. ' : ''}Stored publicly on the chain.`}
    type="text"
    required={!optional}
    maxlength={NAME_MAX_CHARACTERS}
    autocomplete="off"
  />
)

import { z } from 'zod'

/** Text that has a UTF-8 form: a lone surrogate has none, and the contract, like the CID, is made of UTF-8. */
export const text = z.string().refine((value) => value.isWellFormed(), {
  error: 'expected well-formed Unicode, without lone surrogates',
})

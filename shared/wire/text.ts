import { z } from 'zod'

/** Well-formed text: a lone surrogate has no UTF-8 form, and both the contract and the CID use UTF-8. */
export const text = z.string().refine((value) => value.isWellFormed(), {
  error: 'expected well-formed Unicode, without lone surrogates',
})

import { z } from 'zod'

/**
 * Prevents zod from compiling code from text, which the content security policy forbids and browsers report. Import
 * this module before the first schema is created.
 */
z.config({ jitless: true })

import { z } from 'zod'

/**
 * Prevents zod from compiling code from text: the content security policy forbids it, and browsers report the attempt.
 * Import this module before the first schema is created.
 */
z.config({ jitless: true })

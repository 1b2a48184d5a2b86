import { z } from 'zod'

/**
 * Prevents zod from compiling code from text. The page's content security policy forbids this, and browsers report the
 * attempt. This module must be imported before the first schema is created.
 */
z.config({ jitless: true })

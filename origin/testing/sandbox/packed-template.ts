import { readFileSync } from 'node:fs'
import type { Template } from '../../actions/engine/template.ts'
import { decodeTemplate } from '../../actions/engine/template-file.ts'

/** Reads the template beside the bundle. */
export async function loadTemplate(): Promise<Template> {
  return decodeTemplate(readFileSync(new URL('sandbox-template.bin', import.meta.url)))
}

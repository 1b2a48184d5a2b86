/**
 * Generates `docs/svc.schema.json`, the JSON Schema of `svc.json` (`npm run project-schema`). A test checks that it is up to
 * date.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { projectJsonSchema } from '../shared/cli/project/project-schema.ts'

export const PROJECT_SCHEMA = fileURLToPath(new URL('../docs/svc.schema.json', import.meta.url))

export const projectSchemaText = (): string => `${JSON.stringify(projectJsonSchema(), null, 2)}\n`

if (import.meta.main) writeFileSync(PROJECT_SCHEMA, projectSchemaText())

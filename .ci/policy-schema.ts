/**
 * Generates `docs/policy.schema.json`, the JSON Schema of wallet policies (`npm run policy-schema`). A test checks that
 * it is up to date.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { policyJsonSchema } from '../shared/policies/document.ts'

export const POLICY_SCHEMA = fileURLToPath(new URL('../docs/policy.schema.json', import.meta.url))

export const policySchemaText = (): string => `${JSON.stringify(policyJsonSchema(), null, 2)}\n`

if (import.meta.main) writeFileSync(POLICY_SCHEMA, policySchemaText())

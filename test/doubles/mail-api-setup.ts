import type { TestProject } from 'vitest/node'
import { loadTls } from '../../origin/tls.ts'
import type { Provided } from '../edge/provided.d.ts'
import { readEdgeTestEnvironment } from './edge-environment.ts'
import { startMailApi } from './mail-api.ts'

/** Email API doubles for tests in workerd, with a certificate that it trusts. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { key, cert } = await loadTls(readEdgeTestEnvironment().stateDir)
  const api = await startMailApi({ key, cert })
  const { mailApi }: Pick<Provided, 'mailApi'> = { mailApi: api.url }
  project.provide('mailApi', mailApi)
  return api.close
}

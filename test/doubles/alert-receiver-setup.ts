import type { TestProject } from 'vitest/node'
import { loadTls } from '../../origin/tls.ts'
import type { Provided } from '../edge/provided.d.ts'
import { startAlertReceiver } from './alert-receiver.ts'
import { readEdgeTestEnvironment } from './edge-environment.ts'

/** Starts the receiver for tests in workerd, with a certificate that workerd trusts. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { key, cert } = await loadTls(readEdgeTestEnvironment().stateDir)
  const receiver = await startAlertReceiver({ key, cert })
  const { alertReceiver }: Pick<Provided, 'alertReceiver'> = { alertReceiver: receiver.url }
  project.provide('alertReceiver', alertReceiver)
  return receiver.close
}

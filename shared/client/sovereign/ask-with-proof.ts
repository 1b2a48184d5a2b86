import type { Purpose } from '../../typed-data.ts'
import { eitherSignal } from '../either-signal.ts'
import type { CallOptions, Step } from '../options.ts'
import type { Requester } from '../request.ts'
import type { Surroundings } from '../surroundings.ts'
import { orAborted } from './aborted.ts'
import type { Deployment } from './deployment.ts'
import { signProof } from './sign.ts'
import type { Wallet } from './signer.ts'

/** POST request with a fresh proof of the wallet in the body as its credential. @param path path below `/core/v1/` */
export type AskWithProof = <Answer>(
  purpose: Purpose,
  path: string,
  fields: object,
  options?: CallOptions,
) => Promise<Answer>

type Parts = Pick<Surroundings, 'now'> & {
  patient: Requester
  verified: (signal: AbortSignal | undefined) => Promise<void>
  wallet: Wallet
  deployment: () => Promise<Deployment>
  onStep: (step: Step) => void
  signal: AbortSignal | undefined
}

export function askWithProof(parts: Parts): AskWithProof {
  const { patient, verified, wallet, deployment, now, onStep } = parts
  return async <Answer>(purpose: Purpose, path: string, fields: object, options?: CallOptions) => {
    const signal = eitherSignal(parts.signal, options?.signal)
    signal?.throwIfAborted()
    const { chainId } = await orAborted(deployment(), signal)
    onStep({ step: 'sign', what: purpose })
    const proof = await orAborted(signProof(wallet, { purpose, chainId, now }), signal)
    await verified(signal)
    const { body } = await patient.core<Answer>({
      method: 'POST',
      path: `/core/v1/${path}`,
      json: { ...fields, ...proof },
      // Safe to repeat: the response has no effect without the admin's transaction, and the service does not store it.
      repeat: 'idempotent',
      options,
    })
    return body
  }
}

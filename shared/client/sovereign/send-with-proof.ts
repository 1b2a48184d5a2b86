import type { ProofStatement } from '../../crypto/typed-data.ts'
import type { CallOptions, Step } from '../options.ts'
import type { Requester } from '../request.ts'
import type { RuntimeEnvironment } from '../runtime-environment.ts'
import { abortable, anySignal } from '../abortable.ts'
import type { Deployment } from './deployment.ts'
import { signProof } from './sign.ts'
import type { WalletAdapter } from './signer.ts'

/** Values that the wallet signs in addition to its address, the time and the chain. */
type Claim = Pick<ProofStatement, 'purpose' | 'terms'>

/**
 * Sends a POST request with a fresh proof of the wallet in the body as its credential.
 * @param path path below `/core/v1/`
 */
export type SendWithProof = <Answer>(
  claim: Claim,
  path: string,
  fields: object,
  options?: CallOptions,
) => Promise<Answer>

type Parts = Pick<RuntimeEnvironment, 'now'> & {
  requester: Requester
  verified: (signal: AbortSignal | undefined) => Promise<void>
  wallet: WalletAdapter
  deployment: () => Promise<Deployment>
  onStep: (step: Step) => void
  signal: AbortSignal | undefined
}

export function sendWithProof(parts: Parts): SendWithProof {
  const { requester, verified, wallet, deployment, now, onStep } = parts
  return async <Answer>(claim: Claim, path: string, fields: object, options?: CallOptions) => {
    const signal = anySignal(parts.signal, options?.signal)
    signal?.throwIfAborted()
    const { chainId } = await abortable(deployment(), signal)
    onStep({ step: 'sign', what: claim.purpose })
    const proof = await abortable(signProof(wallet, { ...claim, chainId, now }), signal)
    await verified(signal)
    const { body } = await requester.core<Answer>({
      method: 'POST',
      path: `/core/v1/${path}`,
      json: { ...fields, ...proof },
      // The request is safe to repeat, because the response has no effect without the admin's transaction, and the
      // service does not store it.
      repeat: 'idempotent',
      options,
    })
    return body
  }
}

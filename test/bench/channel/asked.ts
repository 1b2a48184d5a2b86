import type { EvidenceBundle } from '../../../shared/attestation/evidence.ts'

/** Request to the Worker of this benchmark, and how often to repeat it. */
export type Asked = {
  times: number
  request: {
    credential: { api_key: string }
    code: string
    js_params: Record<string, unknown>
    wait_ms: number
  }
  bundle: EvidenceBundle
}

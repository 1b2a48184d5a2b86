import type { RemovedLimits, UsageKeyFields } from '../../../../shared/client/core/account.ts'
import { LIMIT_FIELDS, type LimitField } from '../../../../shared/wire/limit-fields.ts'

type Limits = Partial<Pick<UsageKeyFields, LimitField>>

/** The members of `SubmittedForm` that are needed here. */
type FormValues = { text: (name: string) => string; has: (name: string) => boolean }

/** Returns the limits that the form contains. The service validates origins and networks. */
export function readLimits({ text, has }: FormValues, suffix = ''): Limits {
  const list = (name: string) =>
    text(`${name}${suffix}`)
      .split(/[\s,]+/)
      .filter(Boolean)
  const [expires, rate, concurrent] = ['expires', 'rate', 'concurrent'].map((name) =>
    text(`${name}${suffix}`),
  )
  const [origins, networks] = [list('origins'), list('networks')]
  return {
    ...(expires && { expires_at: new Date(`${expires}Z`).toISOString() }),
    ...(rate && { max_requests_per_minute: Number(rate) }),
    ...(concurrent && { max_concurrent: Number(concurrent) }),
    ...(origins.length > 0 && { allowed_origins: origins }),
    ...(networks.length > 0 && { allowed_ips: networks }),
    ...(has(`triggers${suffix}`) && { allow_triggers: true }),
    ...(has(`reads${suffix}`) && { can_read_account: true }),
  }
}

/** Returns the change that replaces all limits of a key. */
export function replacingLimits(limits: Limits): Limits & RemovedLimits {
  const remove_limits = LIMIT_FIELDS.filter((name) => limits[name] === undefined)
  return { ...limits, remove_limits }
}

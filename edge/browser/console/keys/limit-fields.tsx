import type { UsageKey } from '../../../../shared/client/core/account.ts'
import { KEY_CONCURRENT_MAX, KEY_REQUESTS_PER_MINUTE_MAX } from '../../../../shared/limits.ts'
import type { LimitField } from '../../../../shared/wire/limit-fields.ts'
import { Choice, Field } from '../../components/form-fields.tsx'

type LimitFieldsProps = { suffix?: string; limits?: Partial<Pick<UsageKey, LimitField>> }

export const LimitFields = ({ suffix = '', limits = {} }: LimitFieldsProps) => (
  <>
    <Field
      name={`expires${suffix}`}
      label="Expires, in UTC"
      hint="From this time on, the key is refused. Leave empty for a key that does not expire."
      type="datetime-local"
      value={limits.expires_at ? limits.expires_at.slice(0, 16) : ''}
    />
    <Field
      name={`rate${suffix}`}
      label="Requests per minute"
      hint="Leave empty for no limit of the key."
      type="number"
      min={1}
      max={KEY_REQUESTS_PER_MINUTE_MAX}
      value={String(limits.max_requests_per_minute ?? '')}
    />
    <Field
      name={`concurrent${suffix}`}
      label="Concurrent runs"
      hint="Leave empty for no limit of the key."
      type="number"
      min={1}
      max={KEY_CONCURRENT_MAX}
      value={String(limits.max_concurrent ?? '')}
    />
    <Field
      name={`origins${suffix}`}
      label="Allowed web origins"
      hint="For a key in a web page, such as https://app.example.com. Separate several with spaces. Programs can send any origin, so also set a spending cap."
      autocomplete="off"
      value={(limits.allowed_origins ?? []).join(' ')}
    />
    <Field
      name={`networks${suffix}`}
      label="Allowed networks"
      hint="Addresses in CIDR notation, such as 203.0.113.0/24. Separate several with spaces."
      autocomplete="off"
      value={(limits.allowed_ips ?? []).join(' ')}
    />
    <Choice
      type="checkbox"
      name={`triggers${suffix}`}
      value="yes"
      checked={limits.allow_triggers === true}
    >
      Let triggers use the key in spite of allowed origins and networks
    </Choice>
    <Choice
      type="checkbox"
      name={`reads${suffix}`}
      value="yes"
      checked={limits.can_read_account === true}
    >
      Let the key read everything in the account, and change nothing
    </Choice>
  </>
)

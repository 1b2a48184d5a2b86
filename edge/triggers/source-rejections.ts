import { TriggerRejectedError } from './trigger-rejected-error.ts'

export function secretRequired(): TriggerRejectedError {
  return new TriggerRejectedError({
    reason: 'field',
    field: 'webhook_secret',
    problem: 'options.source requires a secret',
    fix: 'Send webhook_secret with the secret of this sender, or omit options.source.',
  })
}

export function sourceRequired(): TriggerRejectedError {
  return new TriggerRejectedError({
    reason: 'field',
    field: 'webhook_secret',
    problem: 'a secret requires options.source',
    fix: 'Send options.source with the sender, or omit webhook_secret.',
  })
}

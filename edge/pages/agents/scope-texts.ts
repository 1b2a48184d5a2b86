import type { Scope } from '../../../shared/wire/agent.ts'

const ACCESS: Record<string, string> = {
  'triggers:read triggers:write': 'all',
  'triggers:read': 'read only',
  'triggers:write': 'write only',
}

/** @param scopes stored scopes, separated by spaces */
export const accessText = (scopes: string): string => ACCESS[scopes] ?? scopes

/** What a scope allows a program to do with the triggers of an account. */
export const SCOPE_TEXTS: Record<Scope, string> = {
  'triggers:read':
    'view them, and read their run history, including inputs and responses; view your action library',
  'triggers:write': 'create, change, fire and delete them; change your action library',
}

/** Kept in `sessionStorage` across reloads. The console does not treat the source and the params as secrets. */

export type Draft = { source: string; params: string }

const KEPT = 'svc/action-draft'

export function storedDraft(): Draft | undefined {
  try {
    const { source, params } = JSON.parse(sessionStorage.getItem(KEPT) ?? 'null') as Draft
    return typeof source === 'string' && typeof params === 'string' ? { source, params } : undefined
  } catch {
    return undefined
  }
}

/** A draft that exceeds the storage quota is lost when the page is closed. */
export function storeDraft(draft: Draft): void {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(draft))
  } catch {
    sessionStorage.removeItem(KEPT)
  }
}

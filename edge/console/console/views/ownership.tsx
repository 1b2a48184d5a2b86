import type { View } from '../view.ts'

export const OwnershipView: View = () => null

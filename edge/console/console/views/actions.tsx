import type { View } from '../view.ts'

export const ActionsView: View = () => null

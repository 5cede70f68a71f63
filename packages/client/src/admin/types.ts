import type { Client } from 'openapi-fetch'
import type { components, operations, paths } from '../generated/admin.ts'
import type { AnswerOf, BodyOf, QueryOf } from '../resources/operations.ts'

export type AdminPaths = paths
/** The low-level client of the provisioning API. */
export type AdminApi = Client<paths>

type Schemas = components['schemas']

export type Workspace = Schemas['Workspace']
export type WorkspaceToCreate = BodyOf<operations['createWorkspace']>
export type WorkspacePage = AnswerOf<operations['listWorkspaces'], 200>
export type WorkspaceQuery = QueryOf<operations['listWorkspaces']>

export type Member = Schemas['Member']
export type MemberToCreate = BodyOf<operations['createMember']>
export type MemberChanges = BodyOf<operations['updateMember']>
export type MemberPage = AnswerOf<operations['listMembers'], 200>
export type MemberQuery = QueryOf<operations['listMembers']>

export type Key = Schemas['Key']
export type KeyWithSecret = Schemas['KeyWithSecret']
export type KeyToCreate = BodyOf<operations['createKey']>
export type KeyPage = AnswerOf<operations['listKeys'], 200>
export type KeyQuery = QueryOf<operations['listKeys']>

export type SessionWithToken = Schemas['SessionWithToken']
export type SessionToCreate = BodyOf<operations['createSession']>

export type PortalLink = Schemas['PortalLink']
export type PortalLinkToCreate = BodyOf<operations['createPortalLink']>

export type SignInLink = Schemas['SignInLink']
export type SignInLinkToCreate = BodyOf<operations['createSignInLink']>

export type Operator = Schemas['Operator']
export type OperatorToCreate = BodyOf<operations['createOperator']>
export type OperatorPage = AnswerOf<operations['listOperators'], 200>
export type OperatorQuery = QueryOf<operations['listOperators']>

export type AdminToken = Schemas['AdminToken']
export type AdminTokenWithSecret = Schemas['AdminTokenWithSecret']
export type AdminTokenToCreate = BodyOf<operations['createAdminToken']>
export type AdminTokenPage = AnswerOf<operations['listAdminTokens'], 200>
export type AdminTokenQuery = QueryOf<operations['listAdminTokens']>

export type AdminAuditEntry = Schemas['AuditEntry']
export type AdminAuditPage = AnswerOf<operations['listAuditLog'], 200>
export type AdminAuditQuery = QueryOf<operations['listAuditLog']>

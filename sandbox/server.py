"""The make-believe company on loopback: Jira, Confluence, Slack, Git hosts and a scripted model, in the real formats.

`with Sandbox.start(company) as sandbox:` and then, for one,
`requests.get(sandbox.jira_url + "/rest/api/3/myself", auth=(sandbox.read_user, sandbox.read_token))`.
"""

import secrets
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

from starlette.applications import Starlette
from starlette.routing import BaseRoute
from starlette.types import ASGIApp

from sandbox.accounts import Accounts
from sandbox.addresses import ADDRESSES
from sandbox.argocd_api import ArgocdApi
from sandbox.attachments_api import AttachmentsApi
from sandbox.bitbucket_cloud_api import BitbucketCloudApi
from sandbox.bitbucket_data_center_api import BitbucketDataCenterApi
from sandbox.code_page import CodePages
from sandbox.comments_api import CommentsApi
from sandbox.confluence import Confluence
from sandbox.confluence_api import ConfluenceApi
from sandbox.confluence_comments_api import ConfluenceCommentsApi
from sandbox.confluence_data_center import DataCenterApi
from sandbox.confluence_data_center_json import ROOT
from sandbox.confluence_talk_api import TalkApi
from sandbox.confluence_webhooks import ConfluenceWebhooks
from sandbox.databases import Databases
from sandbox.deployments import Deployments
from sandbox.development_api import Development, DevelopmentApi
from sandbox.exchange import Exchange, Exchanges
from sandbox.faults import Faults
from sandbox.git_host import GitHost
from sandbox.git_http import FETCH, GitHttp
from sandbox.github_api import GithubApi
from sandbox.github_deployments_api import GithubDeploymentsApi
from sandbox.gitlab_api import GitlabApi
from sandbox.gitlab_deployments_api import GitlabDeploymentsApi
from sandbox.jira import Jira
from sandbox.jira_api import JiraApi
from sandbox.jira_data_center_api import DataCenterApi as JiraDataCenterApi
from sandbox.jira_data_center_comments import DataCenterComments
from sandbox.jira_data_center_files import DataCenterFiles
from sandbox.jira_data_center_json import ROOT as JIRA_ROOT
from sandbox.jira_data_center_people import DataCenterPeople
from sandbox.kubernetes_api import KubernetesApi
from sandbox.model import Model, ModelApi
from sandbox.people_api import PeopleApi
from sandbox.pull_page import PullPages
from sandbox.records import Company
from sandbox.serving import Serving
from sandbox.slack.slack import Slack
from sandbox.slack_page import SlackPages
from sandbox.ticket_page import TicketPages
from sandbox.version_api import VersionApi
from sandbox.webhooks import Webhooks
from sandbox.wiki_page import WikiPages
from sandbox.wire import Wire

GIT_HOSTS = ("github", "gitlab", "bitbucket-cloud", "bitbucket-data-center")
"""Services of the exchanges; each is the same repositories in one vendor's words."""

_READS = {"GET", "HEAD"}


class Sandbox:
    """Everything of one company: URLs, accounts, faults, what went over the wire, and each part to look into."""

    def __init__(self, company: Company, serving: Serving) -> None:
        self.company = company
        self._serving = serving
        self.jira_url = serving.url("jira")
        self.jira_data_center_url = serving.url("jira") + JIRA_ROOT
        """The same tickets as Data Center shows them; any account's token is a personal access token there."""
        self.confluence_url = serving.url("confluence")
        """Without `/wiki`."""
        self.confluence_data_center_url = serving.url("confluence") + ROOT
        """The same pages as Data Center shows them; any account's token is a personal access token there."""
        self.model_url = serving.url("model")
        """Without `/v1`."""
        self.github_url = serving.url("github")
        """Where its pages are. The API is at `/api/v3`, as Enterprise has it, and at `/`, as api.github.com has it."""
        self.gitlab_url = serving.url("gitlab")
        """The API is at `/api/v4`."""
        self.bitbucket_cloud_url = serving.url("bitbucket-cloud")
        """The API is at `/2.0`."""
        self.bitbucket_data_center_url = serving.url("bitbucket-data-center")
        """The API is at `/rest/api/latest`."""
        self.slack_url = serving.url("slack")
        """The API is at `/api`."""
        self.kubernetes_url = serving.url("kubernetes")
        """An environment is a namespace, a repository's software a Deployment of its name."""
        self.argocd_url = serving.url("argocd")
        """The API is at `/api/v1`; applications are called `REPOSITORY-ENVIRONMENT`."""
        self.repos: dict[str, Path] = {}
        """Repository name -> its folder; filled by `sandbox.repos.build`."""
        self.faults = Faults()
        self.exchanges = Exchanges()
        self.accounts = Accounts(company)
        self.git_host = GitHost(company, self.repos)
        """The pull requests behind all four hosts' APIs; `git_host.token` reads them."""
        self.deployments = Deployments(company, self.git_host)
        """What runs where: behind Kubernetes, Argo CD, the version endpoints, and two of the Git hosts."""
        self.kubernetes = KubernetesApi(self.deployments)
        self.argocd = ArgocdApi(self.deployments, f"{self.github_url}/{company.organisation}")
        self.versions = VersionApi(self.deployments)
        self.databases = Databases(company)
        self.bitbucket_cloud = BitbucketCloudApi(self.git_host)
        self.development = Development(self.git_host, {kind: serving.url(kind) for kind in GIT_HOSTS})
        """Jira's development panel, which shows the same pull requests."""
        self.webhook_secret = secrets.token_hex(16)
        lock = threading.RLock()
        self.jira = Jira(company, self.accounts, self.resolve, lock)
        self.jira.base = self.jira_url
        self.confluence = Confluence(company, self.accounts, self.resolve, lock)
        self.confluence_webhooks = ConfluenceWebhooks(self.confluence, self.webhook_secret, self.confluence_url)
        self.model = Model()
        self.webhooks = Webhooks(self.jira, self.webhook_secret)
        self.slack = Slack(company, self.accounts.bot, self.slack_url)

    @classmethod
    def start(
        cls,
        company: Company,
        *,
        jira_port: int = 0,
        confluence_port: int = 0,
        model_port: int = 0,
        slack_port: int = 0,
    ) -> "Sandbox":
        """Serve the company; a port of 0 takes a free one. Raises OSError when a port is taken."""
        serving = Serving(
            {
                "jira": jira_port,
                "confluence": confluence_port,
                "model": model_port,
                "slack": slack_port,
                "media": 0,
                **dict.fromkeys(("kubernetes", "argocd", "versions"), 0),
                **dict.fromkeys(GIT_HOSTS, 0),
            }
        )
        try:
            sandbox = cls(company, serving)
            serving.start(sandbox._apps())
        except BaseException:
            serving.close()
            raise
        return sandbox

    @property
    def read_user(self) -> str:
        """The indexing account, which sees everything."""
        return self.accounts.reader.email

    @property
    def read_token(self) -> str:
        return self.accounts.token(self.accounts.reader.id)

    @property
    def post_user(self) -> str:
        """The bot's account."""
        return self.accounts.bot.email

    @property
    def post_token(self) -> str:
        return self.accounts.token(self.accounts.bot.id)

    @property
    def kubernetes_token(self) -> str:
        """Of a service account that may get and list; so may, each for its own, the next two."""
        return self.kubernetes.token

    @property
    def argocd_token(self) -> str:
        return self.argocd.token

    @property
    def version_token(self) -> str:
        return self.versions.token

    def version_url(self, environment: str, repo: str, endpoint: str = "version") -> str:
        """Where the software says what it is; `actuator/info` is the other endpoint."""
        return f"{self._serving.url('versions')}/{environment}/{repo}/{endpoint}"

    def login(self, account_id: str) -> tuple[str, str]:
        """User name and token of any account of the company."""
        return self.accounts.of(account_id).email, self.accounts.token(account_id)

    def deliver_to(self, url: str, *, data_center: bool = False) -> None:
        """Send Jira's comment webhooks to this URL from now on, in Cloud's shape or in Data Center's."""
        self.webhooks.deliver_to(url, data_center=data_center)

    def git_host_writes(self) -> list[Exchange]:
        """Recorded requests that would have changed something at a Git host; each was refused."""
        asked = [e for kind in GIT_HOSTS for e in self.exchanges.all(kind)]
        return [e for e in asked if "receive-pack" in e.url or not (e.method in _READS or e.path.endswith(FETCH))]

    def resolve(self, target: str) -> str:
        """`page:ID`, `ticket:KEY`, `repo:NAME/path#L10` and `pull:NAME/7` of the records as URLs of this sandbox."""
        kind, _, rest = target.partition(":")
        if kind == "page":
            space = next((page.space for page in self.company.pages if page.id == rest), None)
            return target if space is None else f"{self.confluence_url}/wiki/spaces/{space}/pages/{rest}"
        if kind == "ticket":
            return f"{self.jira_url}/browse/{rest}"
        repo, _, number = rest.rpartition("/")
        if kind == "pull" and number.isdecimal():
            return ADDRESSES["github"].of_pull(self.github_url, self.company.organisation, repo, int(number))
        return f"{self.jira_url}/code/{rest}" if kind == "repo" else target

    def close(self) -> None:
        self.webhooks.close()
        self.confluence_webhooks.close()
        self.slack.close()
        self._serving.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _apps(self) -> dict[str, ASGIApp]:
        jira, jira_data_center = JiraApi(self.jira), JiraDataCenterApi(self.jira)
        tickets, code, wiki = (
            TicketPages(self.jira, self.company),
            CodePages(lambda: self.repos),
            WikiPages(self.confluence),
        )
        confluence = ConfluenceApi(self.confluence)
        github, gitlab = GithubApi(self.git_host), GitlabApi(self.git_host)
        talk = TalkApi(self.confluence, confluence, self._serving.url("media"))
        routes: dict[str, list[BaseRoute]] = {
            "jira": [
                *jira.routes(),
                *PeopleApi(self.jira, jira).routes(),
                *CommentsApi(self.jira, jira).routes(),
                *AttachmentsApi(self.jira, jira).routes(),
                *tickets.routes(),
                *code.routes(),
                *DevelopmentApi(self.jira, jira, self.development).routes(),
                *jira_data_center.routes(),
                *DataCenterPeople(self.jira, jira_data_center).routes(),
                *DataCenterComments(self.jira, jira_data_center).routes(),
                *DataCenterFiles(self.jira, jira_data_center).routes(),
            ],
            "confluence": [
                *confluence.routes(),
                *ConfluenceCommentsApi(self.confluence, confluence).routes(),
                *talk.routes(),
                *DataCenterApi(self.confluence).routes(),
                *wiki.routes(),
            ],
            "media": [*talk.media_routes()],
            "model": [*ModelApi(self.model).routes()],
            "slack": [*self.slack.routes(), *SlackPages(self.slack, self.company).routes()],
            "github": [*GithubDeploymentsApi(github, self.deployments).routes(), *github.routes()],
            "gitlab": [*GitlabDeploymentsApi(gitlab, self.deployments).routes(), *gitlab.routes()],
            "kubernetes": [*self.kubernetes.routes()],
            "argocd": [*self.argocd.routes()],
            "versions": [*self.versions.routes()],
            "bitbucket-cloud": [*self.bitbucket_cloud.routes()],
            "bitbucket-data-center": [*BitbucketDataCenterApi(self.git_host).routes()],
        }
        for kind in GIT_HOSTS:
            pages = PullPages(self.git_host, kind).routes()
            routes[kind] = [*GitHttp(self.git_host, kind).routes(), *pages, *routes[kind]]
        return {name: self._wired(name, Starlette(routes=found)) for name, found in routes.items()}

    def _wired(self, name: str, app: ASGIApp) -> ASGIApp:
        return Wire(name, app, self.faults, self.exchanges, lambda client: self._serving.disconnect(name, client))

"""The papers and opinions that measures and questions come from, by the key under which they are cited."""

REFERENCES = {
    "agrawal2001": "Agrawal, Aggarwal. On the design and quantification of privacy preserving data mining "
    "algorithms. PODS 2001.",
    "andres2013": "Andrés, Bordenabe, Chatzikokolakis, Palamidessi. Geo-indistinguishability: differential "
    "privacy for location-based systems. CCS 2013.",
    "article29wp2014": "Article 29 Data Protection Working Party. Opinion 05/2014 on anonymisation "
    "techniques. WP216, 2014.",
    "benedetti1998": "Benedetti, Franconi. Statistical and technological solutions for controlled data "
    "dissemination. NTTS 1998.",
    "bezzi2012": "Bezzi, De Capitani di Vimercati, Foresti, Livraga, Samarati, Sassi. Modeling and "
    "preventing inferences from sensitive value distributions in data release. "
    "Journal of Computer Security 20, 2012.",
    "bkakria2021": "Bkakria, Cuppens, Boulahia Cuppens, Tasidou. Information theoretic-based privacy risk "
    "evaluation for data anonymization. Journal of Surveillance, Security and Safety 2, 2021.",
    "brand2002": "Brand. Microdata protection through noise addition. Inference Control in Statistical "
    "Databases, LNCS 2316, 2002.",
    "brickell2008": "Brickell, Shmatikov. The cost of privacy: destruction of data-mining utility in "
    "anonymized data publishing. KDD 2008.",
    "calmon2012": "du Pin Calmon, Fawaz. Privacy against statistical inference. Allerton 2012.",
    "cao2012": "Cao, Karras. Publishing microdata with a robust privacy guarantee. PVLDB 5(11), 2012.",
    "chen1998": "Chen, Keller-McNulty. Estimation of identification disclosure risk in microdata. "
    "Journal of Official Statistics 14(1), 1998.",
    "dalenius1982": "Dalenius, Reiss. Data-swapping: a technique for disclosure control. Journal of "
    "Statistical Planning and Inference 6(1), 1982.",
    "dankar2012": "Dankar, El Emam, Neisa, Roffey. Estimating the re-identification risk of clinical data "
    "sets. BMC Medical Informatics and Decision Making 12, 2012.",
    "dixon1951": "Dixon. Ratios involving extreme values. The Annals of Mathematical Statistics 22(1), 1951.",
    "domingoferrer2001": "Domingo-Ferrer, Mateo-Sanz, Torra. Comparing SDC methods for microdata on the "
    "basis of information loss and disclosure risk. NTTS 2001.",
    "domingoferrer2005": "Domingo-Ferrer, Torra. Ordinal, continuous and heterogeneous k-anonymity through "
    "microaggregation. Data Mining and Knowledge Discovery 11(2), 2005.",
    "dwork2006": "Dwork, McSherry, Nissim, Smith. Calibrating noise to sensitivity in private data analysis. "
    "TCC 2006.",
    "elemam2008": "El Emam, Dankar. Protecting privacy using k-anonymity. JAMIA 15(5), 2008.",
    "elliot2002": "Elliot, Manning, Ford. A computational algorithm for handling the special uniques "
    "problem. IJUFKS 10(5), 2002.",
    "favaro2009": "Favaro, Lijoi, Mena, Pruenster. Bayesian non-parametric inference for species variety "
    "with a two-parameter Poisson-Dirichlet process prior. JRSS B 71(5), 2009.",
    "fellegi1969": "Fellegi, Sunter. A theory for record linkage. JASA 64(328), 1969.",
    "hoshino2001": "Hoshino. Applying Pitman's sampling formula to microdata disclosure risk assessment. "
    "Journal of Official Statistics 17(4), 2001.",
    "kimwinkler2003": "Kim, Winkler. Multiplicative noise for masking continuous data. Bureau of the Census, "
    "Statistics 2003-01, 2003.",
    "kooiman1997": "Kooiman, Willenborg, Gouweleeuw. PRAM: a method for disclosure limitation of microdata. "
    "Statistics Netherlands, 1997.",
    "lefevre2006": "LeFevre, DeWitt, Ramakrishnan. Mondrian multidimensional k-anonymity. ICDE 2006.",
    "li2007": "Li, Li, Venkatasubramanian. t-Closeness: privacy beyond k-anonymity and l-diversity. "
    "ICDE 2007.",
    "machanavajjhala2007": "Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam. l-Diversity: privacy beyond "
    "k-anonymity. ACM TKDD 1(1), 2007.",
    "mateosanz2004": "Mateo-Sanz, Sebé, Domingo-Ferrer. Outlier protection in continuous microdata masking. "
    "Privacy in Statistical Databases, LNCS 3050, 2004.",
    "mckenna2021": "McKenna, Miklau, Sheldon. Winning the NIST contest: a scalable and general approach to "
    "differentially private synthetic data. Journal of Privacy and Confidentiality 11(3), 2021.",
    "moore1996": "Moore. Controlled data-swapping techniques for masking public use microdata sets. Bureau "
    "of the Census, SRD 96/04, 1996.",
    "nargundkar1972": "Nargundkar, Saveland. Random rounding to prevent statistical disclosures. Proceedings "
    "of the American Statistical Association, 1972.",
    "nergiz2007": "Nergiz, Atzori, Clifton. Hiding the presence of individuals from shared databases. "
    "SIGMOD 2007.",
    "pagliuca1999": "Pagliuca, Seri. Some results of individual ranking method on the system of enterprise "
    "accounts annual survey. Esprit SDC project, deliverable MI-3/D2, 1999.",
    "rebollo2013": "Rebollo-Monedero, Parra-Arnau, Diaz, Forné. On the measurement of privacy as an "
    "attacker's estimation error. International Journal of Information Security 12(2), 2013.",
    "reiter2005": "Reiter. Using CART to generate partially synthetic public use microdata. Journal of "
    "Official Statistics 21(3), 2005.",
    "reiterrubin1998": "Reiter, Rubin. Crowds: anonymity for Web transactions. ACM TISSEC 1(1), 1998.",
    "serjantov2002": "Serjantov, Danezis. Towards an information theoretic metric for anonymity. Privacy "
    "Enhancing Technologies, LNCS 2482, 2002.",
    "shannon1948": "Shannon. A mathematical theory of communication. Bell System Technical Journal 27, 1948.",
    "shlomo2010": "Shlomo, Tudor, Groom. Data swapping for protecting census tables. Privacy in Statistical "
    "Databases, LNCS 6344, 2010.",
    "singh2003": "Singh, Yu, Dunteman. MASSC: a new data mask for limiting statistical information loss and "
    "disclosure. UNECE work session on statistical data confidentiality, 2003.",
    "skinner2002": "Skinner, Elliot. A measure of disclosure risk for microdata. JRSS B 64(4), 2002.",
    "skinner2008": "Skinner, Shlomo. Assessing identification risk in survey microdata using log-linear "
    "models. JASA 103(483), 2008.",
    "sondeck2017": "Sondeck, Laurent, Frey. The semantic discrimination rate metric for privacy measurements "
    "which questions the benefit of t-closeness over l-diversity. SECRYPT 2017.",
    "sondeck2017thesis": "Sondeck. Privacy and utility assessment within statistical data bases. "
    "Doctoral thesis, 2017.",
    "sweeney2002": "Sweeney. k-Anonymity: a model for protecting privacy. IJUFKS 10(5), 2002.",
    "wong2006": "Wong, Li, Fu, Wang. (alpha, k)-Anonymity: an enhanced k-anonymity model. KDD 2006.",
    "xiao2006": "Xiao, Tao. Anatomy: simple and effective privacy preservation. VLDB 2006.",
    "zayatz1991": "Zayatz. Estimation of the percent of unique population elements on a microdata file "
    "using the sample. Bureau of the Census, SRD 91/08, 1991.",
}
